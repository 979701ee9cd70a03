import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { Command } from 'commander';
import { writeBackup } from '../backup/backup.js';
import { restoreBackup } from '../backup/restore.js';
import { composeArtifacts, withDatabase } from '../compose.js';
import { loadSettings } from '../env.js';
import { productVersion } from '../version.js';

/** Needs the database and the artifacts, not a running service. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('Write everything that cannot be made again into one file; the service may run meanwhile')
    .requiredOption('-o, --output <file>', 'the backup; it must not exist yet')
    .action(async ({ output }: { output: string }) => {
      const file = resolve(output);
      await refuseExisting(file);
      const settings = loadSettings();
      const { dataDir } = settings;
      const report = await withDatabase(settings, (db) =>
        writeBackup({ db, artifacts: composeArtifacts(settings), dataDir, version: productVersion }, file),
      );
      process.stdout.write(`${file}: ${report.tables} tables and ${report.artifacts} artifacts.\n`);
    });
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'Read a backup into an empty SVC_DATA_DIR (or an empty database), and bring it to this version',
    )
    .argument('<file>', 'what kindred backup wrote')
    .action(async (file: string) => {
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
    });
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ProblemError('conflict', `${file} exists: name another file, or remove it.`);
}
