import type { rerankerDetailReply, rerankerReply } from '@kindred/contracts/resources/rerankers';
import type { ArtifactStore } from '../../../ground/artifacts/artifact-store.js';
import type { z } from 'zod';
import { hasSameFeatures } from '../../../predict/rerankers/feature-check.js';
import type { ListedRerankerRow, RerankerRow } from '../../../store/evaluation/rerankers.repository.js';

type Reply = z.infer<typeof rerankerReply>;

export function presentReranker(row: ListedRerankerRow, artifacts: ArtifactStore): Reply {
  const address = row.artifact_uri && artifacts.addressOf(row.artifact_uri);
  const { category, aspect, category_values: _codes, ...rest } = row;
  return {
    ...rest,
    artifact_uri: address,
    storage_backend: backendOf(address),
    applicable: hasSameFeatures(row),
    category: (category?.toUpperCase() ?? null) as Reply['category'],
    aspect: aspect as Reply['aspect'],
  };
}

export function presentRerankerDetail(
  row: RerankerRow,
  artifacts: ArtifactStore,
): z.infer<typeof rerankerDetailReply> {
  const { model_data: _inline, spec_yaml, run_json, ...rest } = row;
  return { ...presentReranker(rest, artifacts), spec_yaml, run_json };
}

function backendOf(uri: string | null): Reply['storage_backend'] {
  if (uri === null) return 'inline';
  return uri.startsWith('s3:') ? 's3' : 'local';
}
