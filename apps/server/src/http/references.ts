import { type FieldFault, type OperationName, type PayloadOf, ProblemError } from '@kindred/contracts';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import type { Queryable } from '../store/postgres/db.js';
import { findEmbeddingConfig } from '../store/embeddings/embedding-configs.repository.js';
import { findEvaluationSet } from '../store/evaluation/evaluation-sets.repository.js';
import { findSnapshot } from '../store/ontology/ontology.repository.js';
import { findPredictionSet, type PredictionSetRow } from '../store/predictions/prediction-sets.repository.js';
import { findQuerySet } from '../store/proteins/query-sets.repository.js';
import { findReference } from '../store/references/references.repository.js';
import { findReranker } from '../store/evaluation/rerankers.repository.js';
import { findScoringConfig } from '../store/evaluation/scoring-configs.repository.js';
import { validationProblem } from './problems.js';

/** The payloads of operations name rows in these fields. */
type FieldOf<Payload> = Payload extends unknown ? keyof Payload & (`${string}_id` | `${string}_ids`) : never;
type ReferenceField = FieldOf<PayloadOf<OperationName>>;
interface Finder {
  what: string;
  find: (db: Queryable, id: string) => Promise<unknown>;
}

const finders: Record<ReferenceField, Finder> = {
  embedding_config_id: { what: 'embedding configuration', find: findEmbeddingConfig },
  more_embedding_config_ids: { what: 'embedding configuration', find: findEmbeddingConfig },
  annotation_set_id: { what: 'annotation set', find: findAnnotationSet },
  more_annotation_set_ids: { what: 'annotation set', find: findAnnotationSet },
  old_annotation_set_id: { what: 'annotation set', find: findAnnotationSet },
  new_annotation_set_id: { what: 'annotation set', find: findAnnotationSet },
  evaluation_set_id: { what: 'evaluation set', find: findEvaluationSet },
  eval_evaluation_set_id: { what: 'evaluation set', find: findEvaluationSet },
  train_evaluation_set_ids: { what: 'evaluation set', find: findEvaluationSet },
  prediction_set_id: { what: 'prediction set', find: findPredictionSet },
  reranker_model_id: { what: 're-ranker', find: findReranker },
  scoring_config_id: { what: 'scoring configuration', find: findScoringConfig },
  ontology_snapshot_id: { what: 'ontology snapshot', find: findSnapshot },
  query_set_id: { what: 'query set', find: findQuerySet },
  reference_id: { what: 'reference', find: findReference },
};

/**
 * Rows that a payload names must exist before the job is queued. `place` is the path of the payload in the
 * body.
 * @throws ProblemError validation_failed with the path
 */
export async function requireReferences(
  db: Queryable,
  payload: Record<string, unknown>,
  place: '' | '/payload',
): Promise<void> {
  const faults: FieldFault[] = [];
  for (const [field, { what, find }] of Object.entries(finders)) {
    for (const { id, path } of idsAt(payload[field], `${place}/${field}`)) {
      if ((await find(db, id.toLowerCase())) !== undefined) continue;
      faults.push({ path, message: `there is no ${what} ${id}`, code: 'not_found' });
    }
  }
  if (faults.length > 0) throw validationProblem(faults);
  await requireCompleteReference(db, payload);
  await requireMatchingSnapshot(db, payload);
}

function idsAt(value: unknown, path: string): { id: string; path: string }[] {
  if (typeof value === 'string') return [{ id: value, path }];
  if (!Array.isArray(value)) return [];
  return value.map((id: string, at) => ({ id, path: `${path}/${at}` }));
}

async function requireCompleteReference(db: Queryable, payload: Record<string, unknown>): Promise<void> {
  if (typeof payload.prediction_set_id !== 'string') return;
  const set = await findPredictionSet(db, payload.prediction_set_id);
  if (set !== undefined) requireComplete(set);
}

/**
 * The results of a cancelled or failed job are incomplete: they say nothing about the missing queries.
 * @throws ProblemError conflict
 */
export function requireComplete(set: PredictionSetRow): void {
  if (set.status !== 'incomplete') return;
  const of = set.query_count === null ? '' : ` of ${set.query_count.toLocaleString('en')}`;
  throw new ProblemError(
    'conflict',
    `Prediction set ${set.id} is incomplete (${set.protein_count.toLocaleString('en')}${of} proteins): predict again, and use the new set.`,
  );
}

/**
 * A file would look whole although the job still fills its set.
 * @throws ProblemError conflict
 */
export function requireFilled({ id, status, job_id }: PredictionSetRow): void {
  if (status !== 'filling') return;
  const advice =
    job_id === null ? 'its job is gone, so predict again' : `wait for job ${job_id}, then try again`;
  throw new ProblemError('conflict', `Prediction set ${id} is being filled: ${advice}.`);
}

/**
 * Refuses a set that was loaded with another snapshot, because its annotations point to the terms of that
 * snapshot.
 */
async function requireMatchingSnapshot(db: Queryable, payload: Record<string, unknown>): Promise<void> {
  const { annotation_set_id: setId, ontology_snapshot_id: snapshotId } = payload;
  if (typeof setId !== 'string' || typeof snapshotId !== 'string') return;
  const set = await findAnnotationSet(db, setId);
  if (set === undefined || set.ontology_snapshot_id === snapshotId.toLowerCase()) return;
  throw new ProblemError(
    'conflict',
    `Annotation set ${set.id} was loaded against ontology snapshot ${set.ontology_snapshot_id}; give that as ontology_snapshot_id.`,
  );
}
