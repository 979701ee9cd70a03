import { ProblemError } from '@kindred/contracts';
import { type Database, inTransaction, type Queryable } from '../store/postgres/db.js';
import {
  deleteOrphanSequences,
  deleteUnindexedEmbeddings,
  runningJobs,
} from '../store/maintenance/vacuum.repository.js';

/**
 * Removes sequences that nothing refers to, with their vectors.
 * @throws ProblemError conflict while a job runs
 */
export function removeUnusedSequences(db: Database): Promise<number> {
  return removeAll(db, deleteOrphanSequences);
}

/**
 * Removes vectors of sequences that no protein has.
 * @throws ProblemError conflict while a job runs
 */
export function removeUnusedVectors(db: Database): Promise<number> {
  return removeAll(db, deleteUnindexedEmbeddings);
}

/** Removes batch by batch, each only while no job runs, because a running job may count on the rows. */
async function removeAll(db: Database, deleteSome: (db: Queryable) => Promise<number>): Promise<number> {
  let deleted = 0;
  for (;;) {
    const some = await inTransaction(db, async (trx) => {
      const running = await runningJobs(trx);
      if (running.length === 0) return deleteSome(trx);
      throw new ProblemError(
        'conflict',
        `Jobs are running that may need these rows (${running.join(', ')}); ${deleted} rows were deleted. Cancel them or wait, then repeat this.`,
      );
    });
    if (some === 0) return deleted;
    deleted += some;
  }
}
