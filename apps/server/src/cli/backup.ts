import { randomBytes } from 'node:crypto';
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { restoreAside } from '../run/backup/aside.js';
import { writeBackup } from '../run/backup/backup.js';
import { type CheckedBackup, checkBackup } from '../run/backup/check.js';
import { type RestoreReport, restoreBackup, settleRestore } from '../run/backup/restore.js';
import { composeArtifacts, withDatabase } from '../run/compose.js';
import { loadSettings, type Settings } from '../run/env.js';
import type { Database } from '../store/postgres/db.js';
import { noteBackup, noteVerifiedBackup } from '../store/maintenance/backups.repository.js';
import { embeddedFolder } from '../run/supervise/serve.js';
import { lockForRestore } from '../run/supervise/service-lock.js';
import { productVersion } from '../ground/version.js';
import { refuseExisting, requireFile } from './require-file.js';
import { untilEnded } from './until-ended.js';
import { sourceOf } from './upgrade.js';
import { useMeantFolder } from './with-service.js';

export async function backupAction({ output, verify }: { output?: string; verify?: string }): Promise<void> {
  if (verify !== undefined) return verifyBackup(verify);
  if (output === undefined)
    throw new ProblemError(
      'malformed_request',
      'Say what to do: -o FILE makes a backup, --verify FILE proves one.',
    );
  return backUp(output);
}

const nothingRestored = 'The command was ended; nothing was restored.';

/** The command needs the database and the artifacts, not a running service. */
async function backUp(output: string): Promise<void> {
  const file = resolve(output);
  await refuseExisting(file);
  await useMeantFolder();
  const settings = loadSettings();
  const report = await withDatabase(settings, async (db) => {
    const made = await writeBackup(sourceOf(settings, db), file);
    const { size } = await stat(file);
    await noteBackup(db, { madeAt: made.madeAt, version: productVersion, sizeBytes: size }).catch(
      (error: Error) =>
        process.stderr.write(
          `The backup is whole, but the page of maintenance does not know of it: ${error.message}\n`,
        ),
    );
    return made;
  });
  process.stdout.write(`${file}: ${report.tables} tables and ${report.artifacts} artifacts.\n`);
}

/**
 * Restores the backup into a scratch folder, and notes the result in the database of the service, if this
 * machine has one.
 */
async function verifyBackup(file: string): Promise<void> {
  const backup = await checked(file);
  const report = await untilEnded(nothingRestored, (signal) => restoreAside(backup, signal));
  const noted = await noteVerified(settingsWithoutSecret(), backup);
  process.stdout.write(
    `${file} can be restored: ${described(backup, report)} went into a scratch folder, and all checksums agree.\n${
      noted
        ? ''
        : 'Not noted for the page of maintenance: there is no database of this version here (SVC_DATA_DIR, SVC_DB_URL).\n'
    }`,
  );
}

async function noteVerified(settings: Settings, { file, header }: CheckedBackup): Promise<boolean> {
  // A missing database is not made, because backups are verified on other machines, too.
  if (settings.dbUrl === null && (await namesIn(join(embeddedFolder(settings), 'data'))) === null)
    return false;
  const { madeAt, version } = header;
  const { size: sizeBytes } = await stat(file);
  return withDatabase(settings, (db) => noteVerifiedBackup(db, { madeAt, version, sizeBytes }));
}

export async function restore(file: string, { keepSchema = false } = {}): Promise<void> {
  const backup = await checked(file);
  const settings = settingsWithoutSecret();
  const report = await untilEnded(nothingRestored, (signal) =>
    restoreInto(settings, backup, signal, keepSchema ? 'of the backup' : 'of this version'),
  );
  const changes =
    report.migrated.length === 0 ? '' : ` Schema brought up to date: ${report.migrated.join(', ')}.`;
  process.stdout.write(`Restored ${described(backup, report)}; all checksums agree.${changes}\n`);
}

/** The settings serve commands that sign nothing, so that no secret is made in the data folder. */
const settingsWithoutSecret = () => loadSettings({ SVC_JWT_SECRET: randomBytes(48).toString('base64url') });

/** Checks the backup before anything is made in the target. */
async function checked(file: string): Promise<CheckedBackup> {
  const path = resolve(file);
  await requireFile(path);
  return checkBackup(path);
}

/**
 * Restores, and removes from the folders what a failed restore made. Earlier content stays, and everything
 * stays once the rows are in the database. In an artifact store elsewhere only empty folders are removed,
 * because a running service may have put objects there meanwhile.
 */
async function restoreInto(
  settings: Settings,
  backup: CheckedBackup,
  signal: AbortSignal,
  schema: 'of the backup' | 'of this version',
): Promise<RestoreReport> {
  const { dataDir, artifacts } = settings;
  const before = await namesIn(dataDir);
  const stored =
    artifacts.backend === 'local'
      ? { folder: artifacts.folder, before: (await namesIn(artifacts.folder)) ?? [] }
      : null;
  let isRestored = false;
  const lock = await lockForRestore(dataDir);
  try {
    return await withDatabase(settings, async (db) => {
      const committed = () => {
        isRestored = true;
      };
      const target = { db, artifacts: composeArtifacts(settings), dataDir, committed };
      await endFormerRestore(target);
      return restoreBackup(backup, target, signal, schema);
    });
  } catch (error) {
    if (isRestored) throw error;
    await removeAdded(dataDir, before);
    if (stored !== null) await removeEmpty(stored.folder, stored.before);
    throw error;
  } finally {
    await lock.release();
  }
}

/**
 * @throws ProblemError conflict if the database has the rows of a restore that was cut off, and now also its
 * files
 */
async function endFormerRestore(target: {
  db: Database;
  dataDir: string;
  committed: () => void;
}): Promise<void> {
  const settled = await settleRestore(target);
  if (settled?.outcome !== 'finished') return;
  target.committed();
  throw new ProblemError(
    'conflict',
    'The database has the rows of a restore that was cut off before its files had their places; they have them now: start the service. ' +
      'To restore another backup, choose a new SVC_DATA_DIR.',
  );
}

const namesIn = (folder: string) => readdir(folder).catch(() => null);

async function removeAdded(folder: string, before: string[] | null): Promise<void> {
  if (before === null) return rm(folder, { recursive: true, force: true });
  for (const name of (await namesIn(folder)) ?? [])
    if (!before.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Removes the folders that are empty after the objects of the restore were removed. */
async function removeEmpty(folder: string, kept: readonly string[] = []): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries)
    if (entry.isDirectory() && !kept.includes(entry.name)) await removeEmpty(join(folder, entry.name));
  // The removal fails if the folder is not empty.
  await rmdir(folder).catch(() => {});
}

function described({ header }: CheckedBackup, { tables, artifacts }: RestoreReport): string {
  return `${tables} tables and ${artifacts} artifacts of ${header.madeAt} (Kindred ${header.version})`;
}
