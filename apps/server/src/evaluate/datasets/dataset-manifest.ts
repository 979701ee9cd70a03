import { createHash } from 'node:crypto';
import { featureColumns, featureFlags, featureSchemaSha } from '@kindred/kernels/features';
import { type AxisTuple, axisTupleId, pythonJson } from '@kindred/kernels/identity';
import { manifestVersion } from '@kindred/contracts/resources/datasets';
import type { StoredArtifact } from '../../ground/artifacts/artifact-store.js';
import type { AnnotationSetRow } from '../../store/annotations/annotations.repository.js';
import { datasetColumns } from './dataset-columns.js';
import type { ExportPayload, ExportPlan, SnapshotPair } from './dataset-plan.js';
import type { PairCounts } from './dataset-rows.js';

export interface ExportedFile extends StoredArtifact {
  rows: number;
}
export interface ExportFacts {
  datasetId: string;
  payload: ExportPayload;
  plan: ExportPlan;
  files: { train: ExportedFile; eval: ExportedFile };
  /** Each evaluation set has its counts of pairs. */
  counts: ReadonlyMap<string, PairCounts>;
  producerVersion: string;
}

/**
 * Makes the text of manifest.json, with all inputs of the rows and all facts that a reader needs. It has no
 * timestamp, so the same data and parameters give the same text except for the id.
 */
export function datasetManifestText(facts: ExportFacts): string {
  const { plan, payload, files } = facts;
  const { config, ontology } = plan;
  const axis = axisOf(plan);
  const manifest = {
    schema_version: manifestVersion,
    name: payload.name,
    dataset_id: facts.datasetId,
    producer: 'kindred',
    producer_version: facts.producerVersion,
    producer_git_sha: null,
    format: 'parquet',
    k: payload.k,
    annotation_source: plan.eval.oldSet.source,
    embedding_config_id: config.id,
    ontology_snapshot_id: ontology.id,
    train_snapshot_pairs: plan.train.map((pair) => pair.name),
    eval_snapshot_pair: plan.eval.name,
    schema_sha: featureSchemaSha,
    feature_schema_sha: featureSchemaSha,
    n_train_rows: files.train.rows,
    n_eval_rows: files.eval.rows,
    parameters: payload,
    axis_tuple: axis,
    axis_id: axisTupleId(axis),
    embedding: recipeOf(plan),
    ontology: { obo_version: ontology.obo_version, sha256: ontology.obo_sha256 },
    taxonomy_sha256: plan.choices.taxonomySha256,
    anc2vec_sha256: plan.choices.termVectorsSha256,
    pairs: [...plan.train.map((pair) => pairOf(pair, 'train', facts)), pairOf(plan.eval, 'eval', facts)],
    columns: columnsOf(payload, plan),
    files: { train: fileOf('train.parquet', files.train), eval: fileOf('eval.parquet', files.eval) },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * Describes the training configuration for boosters trained on this dataset; the trainer's choices are null.
 */
export function axisOf(plan: ExportPlan): AxisTuple {
  return {
    plm: plan.config.model_name,
    k: plan.choices.k,
    reranker_spec_id: null,
    feature_schema_sha: featureSchemaSha,
    eval_set_name: plan.eval.name,
    eval_set_manifest_sha: holdoutSha(plan.eval),
    propagation: 'fill',
    ensemble_spec: null,
  };
}

/** Identifies a holdout by the content of both sides, and the rules that define a gain. */
function holdoutSha({ evaluationSet, oldSet, newSet }: SnapshotPair): string {
  const text = pythonJson({
    old: oldSet.content_sha256,
    new: newSet.content_sha256,
    ontology: evaluationSet.obo_version,
    rules: evaluationSet.rules as never,
  });
  return createHash('sha256').update(text).digest('hex');
}

function recipeOf({ config }: ExportPlan): Record<string, unknown> {
  const { created_at: _, number: __, description: ___, ...recipe } = config;
  return recipe;
}

function pairOf(pair: SnapshotPair, split: 'train' | 'eval', { counts }: ExportFacts) {
  const { evaluationSet, oldSet, newSet } = pair;
  return {
    split,
    snapshot_pair: pair.name,
    evaluation_set_id: evaluationSet.id,
    holdout_sha256: holdoutSha(pair),
    ontology: evaluationSet.obo_version,
    rules: evaluationSet.rules,
    old_reference: evaluationSet.old_reference,
    new_reference: evaluationSet.new_reference,
    old_annotations: annotationsOf(oldSet),
    new_annotations: annotationsOf(newSet),
    ...counts.get(evaluationSet.id),
  };
}

function annotationsOf({ id, source, source_version, content_sha256, annotation_count }: AnnotationSetRow) {
  return { id, source, version: source_version, sha256: content_sha256, annotations: annotation_count };
}

/**
 * Lists the columns of the dataset; `filled` is false if the export lacks the flags or the term vectors that
 * a column needs.
 */
function columnsOf(payload: ExportPayload, { choices }: ExportPlan) {
  const given = featureFlags.filter((flag) => payload[flag]);
  const filled = new Map(
    featureColumns.map(({ name, flags, needsTermVectors }) => [
      name,
      flags.every((flag) => given.includes(flag)) &&
        (!needsTermVectors || choices.termVectorsSha256 !== null),
    ]),
  );
  return datasetColumns.map((column) => ({ ...column, filled: filled.get(column.name) ?? true }));
}

function fileOf(name: string, { sizeBytes, sha256, rows }: ExportedFile) {
  return { name, size_bytes: sizeBytes, sha256, rows };
}
