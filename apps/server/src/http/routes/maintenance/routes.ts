import { maintenanceRoutes } from '@kindred/contracts/resources/maintenance';
import { resetAll } from '../../../accounts/reset.js';
import { removeUnusedSequences, removeUnusedVectors } from '../../../resources/unused-rows.js';
import {
  countOrphanSequences,
  countUnindexedEmbeddings,
} from '../../../store/maintenance/vacuum.repository.js';
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
    deleted: await removeUnusedSequences(db),
  }));
  serve(api, maintenanceRoutes.deleteUnusedVectors, async () => ({
    deleted: await removeUnusedVectors(db),
  }));
  serve(api, maintenanceRoutes.resetDatabase, async (request) => {
    const { applied, version } = await resetAll(db, request.principal.user);
    return { schema_version: version, migrations_applied: applied };
  });
}
