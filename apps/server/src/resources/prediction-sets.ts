import { type Database, inTransaction } from '../store/postgres/db.js';
import { deletePredictionSet } from '../store/predictions/prediction-sets.repository.js';

/** Deletes a set with its predictions. */
export function removePredictionSet(
  db: Database,
  set: Parameters<typeof deletePredictionSet>[1],
): ReturnType<typeof deletePredictionSet> {
  return inTransaction(db, (trx) => deletePredictionSet(trx, set));
}
