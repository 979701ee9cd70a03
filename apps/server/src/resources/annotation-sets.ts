import { absent, ProblemError } from '@kindred/contracts';
import {
  dropSetInTime,
  lockAnnotationSet,
  refuseLoading,
} from '../store/annotations/annotations.repository.js';
import { refuseInUse } from '../store/maintenance/dependents.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import { deleteUnsavedSets } from '../store/predictions/prediction-sets.repository.js';

/**
 * Deletes a set with its rows. Dropping the partition waits at most ten seconds for readers of the whole
 * table.
 * @throws ProblemError not_found, in_use (naming what uses it), conflict (it is being filled, or readers did
 * not end in time)
 */
export async function removeAnnotationSet(
  db: Database,
  id: string,
): Promise<{ annotations_deleted: number }> {
  try {
    return await inTransaction(db, async (trx) => {
      const set = await lockAnnotationSet(trx, id);
      if (set === undefined) throw absent('annotation set', id);
      refuseLoading(set);
      await refuseInUse(trx, { table: 'annotation_set', id }, { what: `Annotation set ${id}` });
      await deleteUnsavedSets(trx, 'annotation_set_id', id);
      await dropSetInTime(trx, set.number);
      return { annotations_deleted: set.annotation_count };
    });
  } catch (error) {
    throw deletionProblem(error, id);
  }
}

function deletionProblem(cause: unknown, id: string): unknown {
  const code = (cause as { code?: unknown }).code;
  if (code === '23503')
    return new ProblemError('in_use', `Annotation set ${id} came into use while it was to be deleted.`, {
      cause,
    });
  if (code === '55P03')
    return new ProblemError(
      'conflict',
      `Annotation set ${id} is being read by running queries; try again later.`,
      { cause },
    );
  return cause;
}
