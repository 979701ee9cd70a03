import { ProblemError } from '@kindred/contracts';
import { noBody, noQuery } from '@kindred/contracts/fields';
import { countReply, deletedReply, resetReply } from '@kindred/contracts/resources/maintenance';
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

export function maintenanceRoutes(api: Api, { db }: RouteDeps): void {
  const count = { schema: { querystring: noQuery, response: { 200: countReply } } };
  api.get('/maintenance/vacuum-sequences/preview', count, async () => ({
    count: await countOrphanSequences(db),
  }));
  api.get('/maintenance/vacuum-embeddings/preview', count, async () => ({
    count: await countUnindexedEmbeddings(db),
  }));
  const vacuum = { schema: { body: noBody, querystring: noQuery, response: { 200: deletedReply } } };
  api.post('/maintenance/vacuum-sequences', vacuum, async () => ({
    deleted: await deleteAll(db, deleteOrphanSequences),
  }));
  api.post('/maintenance/vacuum-embeddings', vacuum, async () => ({
    deleted: await deleteAll(db, deleteUnindexedEmbeddings),
  }));
  api.post(
    '/admin/reset-db',
    { schema: { body: noBody, querystring: noQuery, response: { 200: resetReply } } },
    async (request) => {
      const { applied, version } = await resetAll(db, request.principal.user);
      return { schema_version: version, migrations_applied: applied };
    },
  );
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
