import {
  countPredictionSet,
  countUnanswered,
  type NewPredictionSet,
  type PredictionSetRow,
  predictionSetOfJob,
} from '../store/predictions/prediction-sets.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/** The set that this job fills. A job that has been cancelled makes none: nothing would ever complete or delete it. */
export function setOfJob(
  { whileHeld, jobId }: OperationContext,
  values: NewPredictionSet,
): Promise<PredictionSetRow> {
  return whileHeld((trx) => predictionSetOfJob(trx, jobId, values));
}

/** What is in the set now, with the number of queries that have no prediction, by reason. */
export async function countedSet({ whileHeld, jobId }: OperationContext): Promise<SetCounts> {
  return whileHeld(async (trx) => ({
    ...(await countPredictionSet(trx, jobId)),
    no_answer: await countUnanswered(trx, jobId),
  }));
}
export interface SetCounts {
  predictions: number;
  proteins: number;
  no_answer: Record<string, number>;
}
