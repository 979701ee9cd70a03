import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { closeDatabase, openDatabase } from '../../store/postgres/db.js';
import type { CheckedBackup } from './check.js';
import { type RestoreReport, restoreBackup } from './restore.js';

/** Restores a backup into a scratch folder with its own database, both of which are removed afterwards. */
export async function restoreAside(backup: CheckedBackup, signal: AbortSignal): Promise<RestoreReport> {
  const { startEmbeddedPostgres } = await import('../embedded/postgres.js');
  const folder = await mkdtemp(join(tmpdir(), 'kindred-verify-'));
  try {
    // The server may run as another user; the files in the folder are closed to others.
    await chmod(folder, 0o711);
    const embedded = await startEmbeddedPostgres(join(folder, 'postgres'), {
      durability: 'none',
      endsWithProcess: true,
    });
    const db = openDatabase(embedded.url, 2);
    try {
      const artifacts = createLocalArtifacts(join(folder, 'artifacts'));
      return await restoreBackup(backup, { db, artifacts, dataDir: folder }, signal);
    } finally {
      await closeDatabase(db);
      await embedded.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
