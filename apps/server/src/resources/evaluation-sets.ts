import { absent, ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from '../artifacts/artifact-store.js';
import { deleteEvaluationSet } from '../store/evaluation/evaluation-sets.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';

/** Deletes a set with its truth, results and their files. @throws ProblemError not_found, in_use */
export async function removeEvaluationSet(
  { db, artifacts }: { db: Database; artifacts: ArtifactStore },
  id: string,
): Promise<{ truth_deleted: number; results_deleted: number }> {
  const deleted = await inTransaction(db, (trx) => deleteEvaluationSet(trx, id)).catch((error) => {
    throw inUse(error, id);
  });
  if (deleted === undefined) throw absent('evaluation set', id);
  const { artifactUris, ...counts } = deleted;
  for (const uri of artifactUris) await artifacts.delete(uri);
  return counts;
}

/** A row of another table names the set: PostgreSQL's foreign_key_violation. */
function inUse(error: unknown, id: string): unknown {
  if ((error as { code?: unknown }).code !== '23503') return error;
  const { table } = error as { table?: string };
  return new ProblemError('in_use', `Evaluation set ${id} is used by rows of ${table ?? 'another table'}.`, {
    cause: error,
  });
}
