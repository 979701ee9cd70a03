import { absent, ProblemError } from '@kindred/contracts';
import { deleteEvaluationSet, lockEvaluationSet } from '../store/evaluation/evaluation-sets.repository.js';
import { refuseInUse } from '../store/maintenance/dependents.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';

/** @throws ProblemError not_found, in_use (it has results) */
export async function removeEvaluationSet(db: Database, id: string): Promise<{ truth_deleted: number }> {
  return inTransaction(db, async (trx) => {
    const setNumber = await lockEvaluationSet(trx, id);
    if (setNumber === undefined) throw absent('evaluation set', id);
    await refuseInUse(trx, { table: 'evaluation_set', id }, { what: `Evaluation set ${id}` });
    return deleteEvaluationSet(trx, setNumber);
  }).catch((error) => {
    throw inUse(error, id);
  });
}

/** PostgreSQL's foreign_key_violation means that a row of another table names the set. */
function inUse(error: unknown, id: string): unknown {
  if ((error as { code?: unknown }).code !== '23503') return error;
  const { table } = error as { table?: string };
  return new ProblemError('in_use', `Evaluation set ${id} is used by rows of ${table ?? 'another table'}.`, {
    cause: error,
  });
}
