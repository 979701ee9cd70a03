import { resolve } from 'node:path';
import { upgrade } from '../run/backup/upgrade.js';
import { composeArtifacts, withDatabase } from '../run/compose.js';
import { loadSettings, type Settings } from '../run/env.js';
import type { Database } from '../store/postgres/db.js';
import { productVersion } from '../ground/version.js';
import { refuseExisting } from './require-file.js';
import { useMeantFolder } from './with-service.js';
import { untilEnded } from './until-ended.js';

/** A copy of the data of a service is made from these parts. */
export const sourceOf = (settings: Settings, db: Database) => ({
  db,
  artifacts: composeArtifacts(settings),
  dataDir: settings.dataDir,
  version: productVersion,
});

export async function runUpgrade({ output }: { output?: string }): Promise<void> {
  const file = output === undefined ? undefined : resolve(output);
  if (file !== undefined) await refuseExisting(file);
  await useMeantFolder();
  const settings = loadSettings();
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const report = await untilEnded('The command was ended; nothing was changed.', (signal) =>
    withDatabase(settings, (db) =>
      upgrade(sourceOf(settings, db), { copiesBefore: 'any', file, say, signal }),
    ),
  );
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
