import { schemaSha } from '@kindred/kernels/features';
import { splitCounts } from '@kindred/kernels/reranker';
import type { RunRecord } from '@kindred/contracts/resources/rerankers';
import type { NewReranker } from '../../store/evaluation/rerankers.repository.js';
import { categoryValues, readModelFile } from './model-file.js';
import { readTrainingCell } from './run-record.js';

export interface Registration {
  run: RunRecord;
  specYaml: string;
  modelBytes: Uint8Array;
  artifactUri: string;
  name: string;
  datasetId: string | null;
  externalSource: string | null;
}

/**
 * Makes the row of a booster from its files only, so that both ways of import give the same row.
 * @throws ProblemError bad_file for an unreadable model or spec.yaml; the detail names the line
 */
export async function rerankerOf(
  registration: Registration,
  writeSchemaShaV2: boolean,
): Promise<NewReranker> {
  const { run, specYaml, modelBytes } = registration;
  const { model, sha256, sizeBytes } = await readModelFile(modelBytes);
  const ownSha = schemaSha(model.featureNames);
  return {
    name: registration.name,
    run_id: run.run_id,
    model_data: null,
    artifact_uri: registration.artifactUri,
    model_sha256: sha256,
    model_bytes: sizeBytes,
    objective: model.objective.name,
    tree_count: model.roots.length,
    feature_names: model.featureNames,
    feature_schema_sha: run.features?.feature_schema_sha ?? run.dataset?.schema_sha ?? ownSha,
    schema_sha_v2: writeSchemaShaV2 ? ownSha : null,
    category_values: categoryValues(model, run.features?.categories),
    ...readTrainingCell(specYaml),
    embedding_config_id: run.dataset?.embedding_config_id ?? null,
    ontology_snapshot_id: run.dataset?.ontology_snapshot_id ?? null,
    dataset_id: registration.datasetId,
    producer_version: run.producer_version ?? run.dataset?.producer_version ?? null,
    producer_git_sha: run.producer_git_sha ?? run.dataset?.producer_git_sha ?? null,
    external_source: registration.externalSource,
    spec_yaml: specYaml,
    run_json: run,
    metrics: run.metrics ?? {},
    feature_importance: run.feature_importance ?? splitCounts(model),
  };
}
