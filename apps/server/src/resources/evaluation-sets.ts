import { absent, ProblemError } from '@kindred/contracts';
import { deleteEvaluationSet } from '../store/evaluation/evaluation-sets.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';

/** Deletes a set with its truth. @throws ProblemError not_found, in_use (it has results) */
export async function removeEvaluationSet(db: Database, id: string): Promise<{ truth_deleted: number }> {
  const deleted = await inTransaction(db, (trx) => deleteEvaluationSet(trx, id)).catch((error) => {
    throw inUse(error, id);
  });
  if (deleted === undefined) throw absent('evaluation set', id);
  return deleted;
}

/** A row of another table names the set: PostgreSQL's foreign_key_violation. */
function inUse(error: unknown, id: string): unknown {
  if ((error as { code?: unknown }).code !== '23503') return error;
  const { table } = error as { table?: string };
  return new ProblemError('in_use', `Evaluation set ${id} is used by rows of ${table ?? 'another table'}.`, {
    cause: error,
  });
}
