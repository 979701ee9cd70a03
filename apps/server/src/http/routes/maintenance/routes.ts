import { ProblemError } from '@kindred/contracts';
import { maintenanceRoutes } from '@kindred/contracts/resources/maintenance';
import { resetAll } from '../../../accounts/reset.js';
import { type Database, inTransaction, type Queryable } from '../../../store/postgres/db.js';
import {
  countOrphanSequences,
  countUnindexedEmbeddings,
  deleteOrphanSequences,
  deleteUnindexedEmbeddings,
  runningJobs,
} from '../../../store/records/vacuum.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';

export function serveMaintenance(api: Api, { db }: RouteDeps): void {
  serve(api, maintenanceRoutes.countUnusedSequences, async () => ({
    count: await countOrphanSequences(db),
  }));
  serve(api, maintenanceRoutes.countUnusedVectors, async () => ({
    count: await countUnindexedEmbeddings(db),
  }));
  serve(api, maintenanceRoutes.deleteUnusedSequences, async () => ({
    deleted: await deleteAll(db, deleteOrphanSequences),
  }));
  serve(api, maintenanceRoutes.deleteUnusedVectors, async () => ({
    deleted: await deleteAll(db, deleteUnindexedEmbeddings),
  }));
  serve(api, maintenanceRoutes.resetDatabase, async (request) => {
    const { applied, version } = await resetAll(db, request.principal.user);
    return { schema_version: version, migrations_applied: applied };
  });
}

/** Batch by batch, each only while no job runs: a running one may count on what is deleted. */
async function deleteAll(db: Database, deleteSome: (db: Queryable) => Promise<number>): Promise<number> {
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
