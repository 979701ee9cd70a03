import { randomBytes } from 'node:crypto';
import { access, chmod, mkdtemp, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import { writeBackup } from '../run/backup/backup.js';
import { type CheckedBackup, checkBackup } from '../run/backup/check.js';
import { type RestoreReport, restoreBackup } from '../run/backup/restore.js';
import { composeArtifacts, withDatabase } from '../run/compose.js';
import { loadSettings, type Settings } from '../run/env.js';
import { noteBackup, noteVerifiedBackup } from '../store/maintenance/backups.repository.js';
import { closeDatabase, openDatabase } from '../store/postgres/db.js';
import { embeddedFolder } from '../run/supervise/serve.js';
import { productVersion } from '../ground/version.js';
import { requireFile } from './require-file.js';
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

/** Needs the database and the artifacts, not a running service. */
async function backUp(output: string): Promise<void> {
  const file = resolve(output);
  await refuseExisting(file);
  await useMeantFolder();
  const settings = loadSettings();
  const { dataDir } = settings;
  const report = await withDatabase(settings, async (db) => {
    const source = { db, artifacts: composeArtifacts(settings), dataDir, version: productVersion };
    const made = await writeBackup(source, file);
    const { size } = await stat(file);
    await noteBackup(db, { madeAt: made.madeAt, version: productVersion, sizeBytes: size });
    return made;
  });
  process.stdout.write(`${file}: ${report.tables} tables and ${report.artifacts} artifacts.\n`);
}

/** Restores the backup into a scratch folder, and notes the result in the database of the service, if there is one here. */
async function verifyBackup(file: string): Promise<void> {
  const backup = await checked(file);
  const report = await untilEnded((signal) => restoreAside(backup, signal));
  const noted = await noteVerified(settingsWithoutSecret(), backup);
  process.stdout.write(
    `${file} can be restored: ${described(backup, report)} went into a scratch folder, and all checksums agree.\n${
      noted
        ? ''
        : 'Not noted for the page of maintenance: there is no database of this version here (SVC_DATA_DIR, SVC_DB_URL).\n'
    }`,
  );
}

async function restoreAside(backup: CheckedBackup, signal: AbortSignal): Promise<RestoreReport> {
  const { startEmbeddedPostgres } = await import('../run/embedded/postgres.js');
  const folder = await mkdtemp(join(tmpdir(), 'kindred-verify-'));
  try {
    // The server may run as another user; the files in it are closed to others.
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

async function noteVerified(settings: Settings, { file, header }: CheckedBackup): Promise<boolean> {
  // A missing database is not made: backups are verified on other machines, too.
  if (settings.dbUrl === null && (await namesIn(join(embeddedFolder(settings), 'data'))) === null)
    return false;
  const { madeAt, version } = header;
  const { size: sizeBytes } = await stat(file);
  return withDatabase(settings, (db) => noteVerifiedBackup(db, { madeAt, version, sizeBytes }));
}

export async function restore(file: string): Promise<void> {
  const backup = await checked(file);
  const settings = settingsWithoutSecret();
  const report = await untilEnded((signal) => restoreInto(settings, backup, signal));
  const changes =
    report.migrated.length === 0 ? '' : ` Schema brought up to date: ${report.migrated.join(', ')}.`;
  process.stdout.write(`Restored ${described(backup, report)}; all checksums agree.${changes}\n`);
}

/** Settings for commands that sign nothing, so that no secret is made in the data folder. */
const settingsWithoutSecret = () => loadSettings({ SVC_JWT_SECRET: randomBytes(48).toString('base64url') });

/** Checks the backup before anything is made in the target. */
async function checked(file: string): Promise<CheckedBackup> {
  const path = resolve(file);
  await requireFile(path);
  return checkBackup(path);
}

/**
 * Restores, and removes what a failed restore made in the folders. What was there before stays, and everything stays once the rows are in
 * the database. In an artifact store elsewhere only empty folders are removed, because a running service may have put objects there
 * meanwhile.
 */
async function restoreInto(
  settings: Settings,
  backup: CheckedBackup,
  signal: AbortSignal,
): Promise<RestoreReport> {
  const { dataDir, artifacts } = settings;
  const before = await namesIn(dataDir);
  const stored =
    artifacts.backend === 'local'
      ? { folder: artifacts.folder, before: (await namesIn(artifacts.folder)) ?? [] }
      : null;
  let isRestored = false;
  try {
    return await withDatabase(settings, async (db) => {
      const target = { db, artifacts: composeArtifacts(settings), dataDir };
      const report = await restoreBackup(backup, target, signal);
      isRestored = true;
      return report;
    });
  } catch (error) {
    if (isRestored) throw error;
    await removeAdded(dataDir, before);
    if (stored !== null) await removeEmpty(stored.folder, stored.before);
    throw error;
  }
}

const namesIn = (folder: string) => readdir(folder).catch(() => null);

async function removeAdded(folder: string, before: string[] | null): Promise<void> {
  if (before === null) return rm(folder, { recursive: true, force: true });
  for (const name of (await namesIn(folder)) ?? [])
    if (!before.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Removes the folders that are empty after the objects of the restore were removed. */
async function removeEmpty(folder: string, kept: readonly string[] = []): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries)
    if (entry.isDirectory() && !kept.includes(entry.name)) await removeEmpty(join(folder, entry.name));
  // Fails where something is left.
  await rmdir(folder).catch(() => {});
}

/** Ctrl-C and a closed terminal are failures like others: what was done is undone. */
async function untilEnded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const end = () =>
    ending.abort(new ProblemError('conflict', 'The command was ended; nothing was restored.'));
  for (const name of endings) process.once(name, end);
  try {
    return await work(ending.signal);
  } finally {
    for (const name of endings) process.off(name, end);
  }
}

function described({ header }: CheckedBackup, { tables, artifacts }: RestoreReport): string {
  return `${tables} tables and ${artifacts} artifacts of ${header.madeAt} (Kindred ${header.version})`;
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ProblemError('conflict', `${file} exists: name another file, or remove it.`);
}
