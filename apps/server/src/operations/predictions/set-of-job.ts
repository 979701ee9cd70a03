import {
  type NewPredictionSet,
  type PredictionSetRow,
  predictionSetOfJob,
} from '../../store/predictions/prediction-sets.repository.js';
import type { OperationContext } from '../operation.js';

/** The set that this job fills. A job that has been cancelled makes none: nothing would ever complete or delete it. */
export function setOfJob(
  { whileHeld, jobId }: OperationContext,
  values: NewPredictionSet,
): Promise<PredictionSetRow> {
  return whileHeld((trx) => predictionSetOfJob(trx, jobId, values));
}
