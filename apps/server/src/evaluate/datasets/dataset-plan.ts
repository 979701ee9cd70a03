import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { type AnnotationSetRow, findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
} from '../../store/embeddings/embedding-configs.repository.js';
import {
  findEvaluationSet,
  type NamedEvaluationSetRow,
} from '../../store/evaluation/evaluation-sets.repository.js';
import { findSnapshot, type OntologySnapshotRow } from '../../store/ontology/ontology.repository.js';
import { currentTaxonomy } from '../../store/ontology/taxonomy.repository.js';
import { labelledProteins, type LabelledProtein } from '../../store/evaluation/training-labels.repository.js';
import type { OperationContext } from '../../work/operation/operation.js';
import type { TransferChoices } from '../../predict/predict-columns.js';
import { configuredTermVectors } from '../../predict/term-vectors.js';

export type ExportPayload = PayloadOf<'export_research_dataset'>;

/** A temporal holdout takes its references from the known annotations and its labels from the gained ones. */
export interface SnapshotPair {
  /** The name has the form `<old release>-<new release>`. */
  name: string;
  evaluationSet: NamedEvaluationSetRow;
  oldSet: AnnotationSetRow;
  newSet: AnnotationSetRow;
  proteins: LabelledProtein[];
  withoutVector: number;
}

/** The plan holds all inputs of the rows, looked up before the first row is computed. */
export interface ExportPlan {
  config: EmbeddingConfigRow;
  train: SnapshotPair[];
  eval: SnapshotPair;
  /** The ontology belongs to the evaluation pair. */
  ontology: OntologySnapshotRow;
  choices: TransferChoices;
}

/** @throws ProblemError not_found for missing inputs, conflict for inputs that cannot be exported */
export async function planExport(payload: ExportPayload, context: OperationContext): Promise<ExportPlan> {
  const { db } = context;
  const config = required(
    await findEmbeddingConfig(db, payload.embedding_config_id),
    'embedding configuration',
    payload.embedding_config_id,
  );
  const train: SnapshotPair[] = [];
  for (const id of payload.train_evaluation_set_ids) train.push(await snapshotPair(id, config, context));
  const held = await snapshotPair(payload.eval_evaluation_set_id, config, context);
  const ontologyId = held.evaluationSet.ontology_snapshot_id;
  return {
    config,
    train,
    eval: held,
    ontology: required(await findSnapshot(db, ontologyId), 'ontology snapshot', ontologyId),
    choices: {
      metric: payload.metric,
      k: payload.k,
      distanceThreshold: payload.distance_threshold,
      includeSelf: payload.include_self,
      aspectSeparated: payload.aspect_separated_knn,
      alignments: payload.compute_alignments,
      taxonomySha256: payload.compute_taxonomy ? await taxonomySha(context) : null,
      rerankerFeatures: payload.compute_reranker_features,
      runner: null,
      graph: null,
      merging: null,
      termVectorsSha256: payload.compute_reranker_features
        ? ((await configuredTermVectors(context))?.sha256 ?? null)
        : null,
    },
  };
}

async function snapshotPair(
  id: string,
  config: EmbeddingConfigRow,
  { db }: OperationContext,
): Promise<SnapshotPair> {
  const evaluationSet = required(await findEvaluationSet(db, id), 'evaluation set', id);
  const { old_annotation_set_id: oldId, new_annotation_set_id: newId } = evaluationSet;
  const { proteins, withoutVector } = await labelledProteins(db, evaluationSet.number, config.number);
  if (proteins.length === 0) {
    throw new ProblemError(
      'conflict',
      withoutVector === 0
        ? `Evaluation set ${id} has no protein that gained a term; choose releases that lie farther apart.`
        : `None of the ${withoutVector} proteins of evaluation set ${id} has a vector of this embedding configuration; run compute_embeddings first.`,
    );
  }
  return {
    name: `${evaluationSet.old_version}-${evaluationSet.new_version}`,
    evaluationSet,
    oldSet: required(await findAnnotationSet(db, oldId), 'annotation set', oldId),
    newSet: required(await findAnnotationSet(db, newId), 'annotation set', newId),
    proteins,
    withoutVector,
  };
}

async function taxonomySha({ db }: OperationContext): Promise<string> {
  const taxonomy = await currentTaxonomy(db);
  if (taxonomy === undefined)
    throw new ProblemError(
      'conflict',
      'compute_taxonomy needs a taxonomy: run load_taxonomy first, or leave the flag out.',
    );
  return taxonomy.content_sha256;
}

function required<T>(row: T | undefined, what: string, id: string): T {
  if (row === undefined) throw absent(what, id);
  return row;
}
