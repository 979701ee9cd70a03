import {
  countsOfSet,
  type NewPredictionSet,
  type PredictionSetRow,
  predictionSetOfJob,
  type SetCounts,
} from '../store/predictions/prediction-sets.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/**
 * Makes the set that this job fills. A cancelled job makes none, because nothing would ever complete or
 * delete it.
 */
export function setOfJob(
  { whileHeld, jobId }: OperationContext,
  values: NewPredictionSet,
): Promise<PredictionSetRow> {
  return whileHeld((trx) => predictionSetOfJob(trx, jobId, values));
}

/** Counts the present rows in the set of the job. */
export function countedSet({ whileHeld, jobId }: OperationContext): Promise<SetCounts> {
  return whileHeld((trx) => countsOfSet(trx, jobId));
}
