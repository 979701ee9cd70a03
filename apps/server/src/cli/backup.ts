import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { writeBackup } from '../backup/backup.js';
import { restoreBackup } from '../backup/restore.js';
import { composeArtifacts, withDatabase } from '../compose.js';
import { loadSettings } from '../env.js';
import { productVersion } from '../version.js';

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
  const settings = loadSettings();
  const { dataDir } = settings;
  const report = await withDatabase(settings, (db) =>
    restoreBackup(resolve(file), { db, artifacts: composeArtifacts(settings), dataDir }),
  );
  const changes =
    report.migrated.length === 0 ? '' : ` Schema brought up to date: ${report.migrated.join(', ')}.`;
  process.stdout.write(
    `Restored ${report.tables} tables and ${report.artifacts} artifacts of ${report.madeAt} (Kindred ${report.version}); all checksums agree.${changes}\n`,
  );
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ProblemError('conflict', `${file} exists: name another file, or remove it.`);
}
