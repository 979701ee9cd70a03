import { type PayloadOf, ProblemError } from '@kindred/contracts';
import { openBooster } from '../rerankers/booster.js';
import { rerankedTermPages } from '../rerankers/reranked-terms.js';
import { type ScoredTermRow, scoredTermPages } from '../store/evaluation-predictions.repository.js';
import type { PredictionSetRow } from '../store/prediction-sets.repository.js';
import { findReranker } from '../store/rerankers.repository.js';
import type { OperationContext } from './operation.js';

type Choices = Pick<PayloadOf<'run_cafa_evaluation'>, 'reranker_model_id' | 'max_distance'>;

/** What scores the terms of a prediction set, and how the options of a result name it. */
export interface ScoreSource {
  /** null: the scores of the prediction itself. */
  identity: Record<string, unknown> | null;
  /** Pages of whole proteins, each by falling score. */
  pages(targets: readonly string[]): AsyncIterable<readonly ScoredTermRow[]>;
}

/** @throws ProblemError not_found, schema_mismatch, conflict for a re-ranker that can't be applied to the set */
export async function scoreSource(
  { reranker_model_id: rerankerId, max_distance: maxDistance }: Choices,
  set: PredictionSetRow,
  { db, artifacts }: OperationContext,
): Promise<ScoreSource> {
  if (rerankerId === null) {
    return {
      identity: null,
      pages: (accessions) => scoredTermPages(db, { setNumber: set.number, accessions, maxDistance }),
    };
  }
  const row = await findReranker(db, rerankerId);
  if (row === undefined) throw new ProblemError('not_found', `There is no re-ranker ${rerankerId}.`);
  const booster = await openBooster(artifacts, row, set);
  return {
    identity: { reranker_model_id: row.id, name: row.name, model_sha256: row.model_sha256 },
    pages: (accessions) => rerankedTermPages(db, booster, { setNumber: set.number, accessions, maxDistance }),
  };
}
