import { type Database, inTransaction } from '../store/postgres/db.js';
import { refuseInUse } from '../store/maintenance/dependents.repository.js';
import { deletePredictionSet } from '../store/predictions/prediction-sets.repository.js';

/** @throws ProblemError in_use */
export function removePredictionSet(
  db: Database,
  set: Parameters<typeof deletePredictionSet>[1],
): ReturnType<typeof deletePredictionSet> {
  return inTransaction(db, async (trx) => {
    await refuseInUse(trx, { table: 'prediction_set', id: set.id }, { what: `Prediction set ${set.id}` });
    return deletePredictionSet(trx, set);
  });
}
