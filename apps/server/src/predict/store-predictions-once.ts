import { storePredictions } from '../store/predictions/prediction-writer.js';
import { predictedAlready } from '../store/predictions/prediction-sets.repository.js';
import type { OperationContext } from '../work/operation/operation.js';
import { type ScoredQuery, scoredPredictions } from './scored-terms.js';

/**
 * Stores a chunk of queries. A job that starts again after a crash skips the queries that an earlier run
 * stored.
 */
export async function storePredictionsOnce(
  queries: readonly ScoredQuery[],
  setNumber: number,
  { whileHeld, settings }: OperationContext,
): Promise<void> {
  await whileHeld(async (trx) => {
    const accessions = queries.map((query) => query.accession);
    const stored = await predictedAlready(trx, setNumber, accessions);
    const fresh = queries.filter((query) => !stored.has(query.accession));
    const jsonb = settings.goPredictionJsonbWriteEnabled;
    await storePredictions(trx, scoredPredictions(fresh, { setNumber, jsonb }));
  });
}
