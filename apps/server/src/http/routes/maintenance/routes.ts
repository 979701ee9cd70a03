import {
  artifactsDeletedAtOnce,
  listedBackups,
  maintenanceRoutes,
  previewedArtifacts,
} from '@kindred/contracts/resources/maintenance';
import { resetAll } from '../../../accounts/reset.js';
import { removeUnusedSequences, removeUnusedVectors } from '../../../resources/unused-rows.js';
import {
  previewUnreferencedArtifacts,
  removeUnreferencedArtifacts,
} from '../../../resources/unreferenced-artifacts.js';
import { listBackups } from '../../../store/maintenance/backups.repository.js';
import {
  countOrphanSequences,
  countUnindexedEmbeddings,
} from '../../../store/maintenance/vacuum.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';

export function serveMaintenance(api: Api, { db, artifacts, settings }: RouteDeps): void {
  const olderThanDays = settings.unreferencedArtifactDays;
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
  serve(api, maintenanceRoutes.countUnreferencedArtifacts, async () => {
    const found = await previewUnreferencedArtifacts(db, artifacts, {
      olderThanDays,
      limit: previewedArtifacts,
    });
    const { count, sizeBytes: size_bytes, examples, more } = found;
    return { count, size_bytes, examples, more, older_than_days: olderThanDays };
  });
  serve(api, maintenanceRoutes.deleteUnreferencedArtifacts, async () => {
    const swept = await removeUnreferencedArtifacts(db, artifacts, {
      olderThanDays,
      limit: artifactsDeletedAtOnce,
    });
    return { deleted: swept.count, size_bytes: swept.sizeBytes, more: swept.more };
  });
  serve(api, maintenanceRoutes.listBackups, () => listBackups(db, listedBackups));
  serve(api, maintenanceRoutes.resetDatabase, async (request) => {
    const { applied, version } = await resetAll(db, request.principal.user);
    return { schema_version: version, migrations_applied: applied };
  });
}
