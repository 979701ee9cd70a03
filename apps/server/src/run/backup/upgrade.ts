import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { appliedMigrations, isEmptyDatabase } from '../../store/maintenance/database-copy.repository.js';
import { noteVerifiedBackup } from '../../store/maintenance/backups.repository.js';
import {
  breakingMigrations,
  migrate,
  type MigrationReport,
  pendingMigrations,
} from '../../store/migrations/migrate.js';
import { inTransaction } from '../../store/postgres/db.js';
import { restoreAside } from './aside.js';
import { type BackupSource, writeBackup } from './backup.js';
import { checkBackup } from './check.js';

export interface UpgradeOptions {
  /**
   * All data are copied before these changes: before all, or before those with which the previous version
   * cannot continue.
   */
  copiesBefore: 'any' | 'breaking';
  /** The copy gets this path; by default, it is in the data folder. */
  file?: string;
  say(line: string): void;
  signal: AbortSignal;
  /** Tests take the migrations from this folder. */
  migrations?: string;
}

/**
 * Brings a database to this version. All data are copied first, and the copy is restored on trial; only then
 * the schema changes.
 * @throws ProblemError conflict when no copy could be made, which says what to do; MigrationError
 */
export async function upgrade(
  source: BackupSource,
  { copiesBefore, file, say, signal, migrations }: UpgradeOptions,
): Promise<MigrationReport> {
  const { db } = source;
  const isNew = await inTransaction(db, isEmptyDatabase);
  const changes = copiesBefore === 'any' ? pendingMigrations : breakingMigrations;
  if (isNew || (await changes(db, migrations)).length === 0) return migrate(db, migrations);
  const copy = file ?? join(source.dataDir, 'backups', await nameOfCopy(source));
  say(`This version changes the schema of the database. First all data are copied and the copy is tried ...`);
  const madeAt = await provenCopy(source, copy, signal);
  const { size } = await stat(copy);
  const wayBack = `To go back, run: SVC_DATA_DIR=NEW_FOLDER kindred restore --keep-schema ${copy}; then install the version before, and start it with that folder.`;
  say(`The copy is ${copy} (${Math.ceil(size / 1e6)} MB). ${wayBack}`);
  signal.throwIfAborted();
  try {
    const report = await migrate(db, migrations);
    await noteVerifiedBackup(db, { madeAt, version: source.version, sizeBytes: size });
    return report;
  } catch (error) {
    if (error instanceof Error) error.message += ` All data as they were are in ${copy}. ${wayBack}`;
    throw error;
  }
}

/** Makes and tries a copy, and gives the time at which it was made. */
async function provenCopy(source: BackupSource, file: string, signal: AbortSignal): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const { madeAt } = await writeBackup(source, file);
    await restoreAside(await checkBackup(file, signal), signal);
    return madeAt;
  } catch (cause) {
    // A copy that was not tried is removed, so that nobody relies on it.
    await rm(file, { force: true }).catch(() => {});
    signal.throwIfAborted();
    throw new ProblemError(
      'conflict',
      `Nothing was changed, because no copy of all data could be made before: ${(cause as Error).message} Make room, name a file on another disk (kindred upgrade -o FILE; the trial is in TMPDIR), or go on without a copy (kindred migrate).`,
      { cause },
    );
  }
}

/**
 * Gives the same name for each try on the same schema. So a service that is started again and again makes one
 * copy, and no copy of an earlier schema is lost.
 */
async function nameOfCopy({ db, version }: BackupSource): Promise<string> {
  const applied = await inTransaction(db, appliedMigrations);
  return `before-${version}-schema-${applied.at(-1)?.version}.kindred`;
}
