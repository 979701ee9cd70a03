import type { datasetReply } from '@kindred/contracts/resources/datasets';
import type { ArtifactStore } from '../../../ground/artifacts/artifact-store.js';
import type { z } from 'zod';
import type { DatasetRow } from '../../../store/records/datasets.repository.js';

export function presentDataset(row: DatasetRow, artifacts: ArtifactStore): z.infer<typeof datasetReply> {
  const { train_row_count: n_train_rows, eval_row_count: n_eval_rows, ...rest } = row;
  const addressOf = (uri: string | null) => uri && artifacts.addressOf(uri);
  return {
    ...rest,
    train_uri: addressOf(row.train_uri),
    eval_uri: addressOf(row.eval_uri),
    manifest_uri: artifacts.addressOf(row.manifest_uri),
    n_train_rows,
    n_eval_rows,
  };
}
