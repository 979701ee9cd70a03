import { absent, ProblemError } from '@kindred/contracts';
import type { Queryable } from '../store/postgres/db.js';
import {
  findEvaluationSet,
  type NamedEvaluationSetRow,
} from '../store/evaluation/evaluation-sets.repository.js';
import { findJob } from '../store/jobs/jobs.repository.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../store/predictions/prediction-sets.repository.js';

export interface EvaluationSubject {
  set: NamedEvaluationSetRow;
  predictionSet: NamedPredictionSetRow;
}

/** @throws ProblemError not_found; conflict for a prediction set that is being written or will be deleted */
export async function findEvaluationSubject(
  ids: { evaluation_set_id: string; prediction_set_id: string },
  db: Queryable,
): Promise<EvaluationSubject> {
  const set = await findEvaluationSet(db, ids.evaluation_set_id);
  if (set === undefined) throw absent('evaluation set', ids.evaluation_set_id);
  const predictionSet = await findPredictionSet(db, ids.prediction_set_id);
  if (predictionSet === undefined) throw absent('prediction set', ids.prediction_set_id);
  if (predictionSet.expires_at !== null) {
    throw new ProblemError(
      'conflict',
      `Prediction set ${predictionSet.id} is of an unsaved annotation and will be deleted; predict with a saved query set.`,
    );
  }
  const job = predictionSet.job_id === null ? undefined : await findJob(db, predictionSet.job_id);
  if (job !== undefined && job.status !== 'SUCCEEDED') {
    throw new ProblemError(
      'conflict',
      `Job ${job.id} that makes prediction set ${predictionSet.id} is ${job.status}; only complete sets are evaluated.`,
    );
  }
  return { set, predictionSet };
}
