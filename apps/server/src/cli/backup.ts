import { randomBytes } from 'node:crypto';
import { access, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { writeBackup } from '../backup/backup.js';
import { type CheckedBackup, checkBackup } from '../backup/check.js';
import { type RestoreReport, restoreBackup } from '../backup/restore.js';
import { composeArtifacts, withDatabase } from '../compose.js';
import { loadSettings, type Settings } from '../env.js';
import { productVersion } from '../version.js';
import { requireFile } from './require-file.js';

/** Needs the database and the artifacts, not a running service. */
export async function backUp({ output }: { output: string }): Promise<void> {
  const file = resolve(output);
  await refuseExisting(file);
  const settings = loadSettings();
  const { dataDir } = settings;
  const report = await withDatabase(settings, (db) =>
    writeBackup({ db, artifacts: composeArtifacts(settings), dataDir, version: productVersion }, file),
  );
  process.stdout.write(`${file}: ${report.tables} tables and ${report.artifacts} artifacts.\n`);
}

export async function restore(file: string): Promise<void> {
  const backup = await checked(file);
  // Nothing is signed here: with this one, no secret is made in the data folder.
  const settings = loadSettings({ SVC_JWT_SECRET: randomBytes(48).toString('base64url') });
  const report = await untilEnded((signal) => restoreInto(settings, backup, signal));
  const changes =
    report.migrated.length === 0 ? '' : ` Schema brought up to date: ${report.migrated.join(', ')}.`;
  process.stdout.write(`Restored ${described(backup, report)}; all checksums agree.${changes}\n`);
}

/** Before anything is made in the target. */
async function checked(file: string): Promise<CheckedBackup> {
  const path = resolve(file);
  await requireFile(path);
  return checkBackup(path);
}

/** What a restore that failed made in the folders is removed; what was there before stays. */
async function restoreInto(
  settings: Settings,
  backup: CheckedBackup,
  signal: AbortSignal,
): Promise<RestoreReport> {
  const { dataDir, artifacts } = settings;
  const folders = artifacts.backend === 'local' ? [dataDir, artifacts.folder] : [dataDir];
  const before = await Promise.all(folders.map(namesIn));
  try {
    return await withDatabase(settings, (db) =>
      restoreBackup(backup, { db, artifacts: composeArtifacts(settings), dataDir }, signal),
    );
  } catch (error) {
    for (const [i, folder] of folders.entries()) await removeAdded(folder, before[i]);
    throw error;
  }
}

const namesIn = (folder: string) => readdir(folder).catch(() => null);

async function removeAdded(folder: string, before: string[] | null): Promise<void> {
  if (before === null) return rm(folder, { recursive: true, force: true });
  for (const name of (await namesIn(folder)) ?? [])
    if (!before.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Ctrl-C is a failure like others: what was done is undone. */
async function untilEnded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const end = () =>
    ending.abort(new ProblemError('conflict', 'The command was ended. Nothing was restored.'));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    return await work(ending.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
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
