import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { type Client, type Database, type Transaction, transactionOn } from '../postgres/connection.js';
import { announceAllChanges } from '../postgres/notifications.js';

/** The database cannot be brought to this program's schema; the message says what to do. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

export interface MigrationReport {
  /** This call applied the migrations of these names, in order. */
  applied: string[];
  /** The database now has this highest version. */
  version: number;
}

interface AppliedName {
  version: number;
  name: string;
}
interface AppliedMigration extends AppliedName {
  sha256: string;
  /** The flag is true if an older program can still work with a database that has this migration. */
  compatible: boolean;
}
/**
 * A file holds one migration, or the baseline of a release, which makes at once what all migrations of that
 * release make one by one.
 */
interface MigrationFile {
  name: string;
  sql: string;
  /** The schema_migration of a database that has the file lists these records. */
  records: AppliedMigration[];
  /** A baseline names its release. */
  release?: string;
}

/**
 * The first line marks a migration that an older program need not know: it only adds what that program
 * neither writes nor must fill.
 */
const compatibleMark = /^--! compatible\s*$/;
const baselineMark = /^--! release (\d+\.\d+\.\d+)$/;
/** The lines below the first line of a baseline name the migrations that it replaces, with their SHA-256. */
const replacesMark = /^--! replaces (\S+\.sql) ([0-9a-f]{64})( compatible)?$/;

// The path resolves from src/ and from dist/ alike, because the SQL files stay in the sources.
const migrationsFolder = fileURLToPath(new URL('../../../src/store/migrations/', import.meta.url));
/** The migrating session holds this lock; any fixed number would do. */
const lockKey = 7_402_111_931;
const minServerVersion = 150_000;

/**
 * Brings the database to the newest schema. Any number of processes may call it at once: one migrates, and
 * the others wait. Each migration is one transaction, so that a failed one leaves nothing behind.
 * @throws MigrationError when the server is too old, a newer program made a breaking change, or an applied
 * file was changed
 */
export async function migrate(db: Database, folder: string = migrationsFolder): Promise<MigrationReport> {
  const migrations = await readMigrations(folder);
  return locked(db, (client) => applyMissing(client, migrations));
}

/** Finds the first of these migrations that this program does not have, because a newer program made it. */
export async function unknownMigration(applied: readonly AppliedName[]): Promise<string | undefined> {
  const known = new Set(recordsOf(await readMigrations(migrationsFolder)).map(({ version }) => version));
  return applied.find(({ version }) => !known.has(version))?.name;
}

/**
 * Brings a database to the newest schema, or to that of the migrations `asOf`, within a transaction of the
 * caller: either all of it is done, with the caller's own work, or nothing.
 * @throws MigrationError as `migrate`
 */
export async function migrateWithin(
  { client }: Transaction,
  asOf?: readonly AppliedName[],
): Promise<MigrationReport> {
  const migrations = await readMigrations(migrationsFolder);
  const versions = new Set(asOf?.map(({ version }) => version));
  const wanted = asOf === undefined ? migrations : migrations.filter((file) => isApplied(file, versions));
  await client.query('select pg_advisory_xact_lock($1)', [lockKey]);
  return applyMissing(client, wanted, run);
}

/**
 * Drops every table but the audit log and creates them again. The call waits up to `lockTimeoutMs` for
 * connections that hold locks; after that nothing is changed. `record` runs in the same transaction.
 */
export async function resetDatabase(
  db: Database,
  options: { record?: (trx: Transaction) => Promise<void>; lockTimeoutMs?: number } = {},
): Promise<MigrationReport> {
  const migrations = await readMigrations(migrationsFolder);
  return locked(db, async (client) => {
    await client.query(`begin; set local lock_timeout = ${Math.round(options.lockTimeoutMs ?? 0)}`);
    await options.record?.(transactionOn(client));
    await announceAllChanges({ client });
    await client.query(
      'drop schema public cascade; drop schema if exists broker cascade; create schema public; commit',
    );
    return applyMissing(client, migrations);
  });
}

/** Lists the names of the migrations that the database lacks, and changes nothing. */
export async function pendingMigrations(db: Database, folder: string = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const { rows } = await db.pool.query(
    "select to_regclass('public.schema_migration') is not null as present",
  );
  const names = (files: MigrationFile[]) => recordsOf(files).map(({ name }) => name);
  if (!rows[0].present) return names(migrations);
  const applied = await db.pool.query<{ version: number }>('select version from schema_migration');
  const versions = new Set(applied.rows.map(({ version }) => version));
  return names(migrations.filter((file) => !isApplied(file, versions)));
}

/** Lists missing migrations after which the previous version can no longer work with the database. */
export async function breakingMigrations(db: Database, folder: string = migrationsFolder): Promise<string[]> {
  const breaking: string[] = [];
  for (const name of await pendingMigrations(db, folder)) {
    // A migration that a later file replaced is no longer in the folder.
    const sql = await readFile(`${folder}/${name}`, 'utf8').catch(() => '');
    if (!compatibleMark.test(sql.split('\n', 1)[0])) breaking.push(name);
  }
  return breaking;
}

/**
 * Says why this program cannot work with the schema of the database, in a sentence that says what to do; null
 * if it can. Missing migrations are a fault, and so are migrations of a newer program, unless they are
 * compatible.
 */
export async function schemaFault(db: Database, folder: string = migrationsFolder): Promise<string | null> {
  try {
    const pending = await pendingMigrations(db, folder);
    if (pending.length > 0) {
      const shown = pending.length === 1 ? pending[0] : `${pending[0]} and ${pending.length - 1} more`;
      return `The database lacks changes of its schema (${shown}): run "kindred upgrade" with this version of Kindred.`;
    }
    const { rows } = await db.pool.query<AppliedMigration>(
      'select version, name, sha256, compatible from schema_migration order by version',
    );
    checkApplied(rows, await readMigrations(folder));
    return null;
  } catch (error) {
    if (error instanceof MigrationError) return error.message;
    throw error;
  }
}

async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const files = await Promise.all(
    names.map(async (name) => readMigration(name, await readFile(`${folder}/${name}`, 'utf8'))),
  );
  const records = recordsOf(files);
  const twice = records.find((record, index) => records[index - 1]?.version === record.version);
  if (twice) throw new MigrationError(`${twice.name}: another migration has the number ${twice.version} too`);
  return files;
}

function readMigration(name: string, sql: string): MigrationFile {
  const [first, ...lines] = sql.split('\n');
  const release = baselineMark.exec(first)?.[1];
  if (release === undefined) {
    const sha256 = createHash('sha256').update(sql).digest('hex');
    const compatible = compatibleMark.test(first);
    return { name, sql, records: [{ version: versionOf(name), name, sha256, compatible }] };
  }
  const records = lines.flatMap((line) => {
    const [, replaced, sha256, mark] = replacesMark.exec(line) ?? [];
    if (replaced === undefined) return [];
    return [{ version: versionOf(replaced), name: replaced, sha256, compatible: mark !== undefined }];
  });
  return { name, sql, records, release };
}

function versionOf(name: string): number {
  const version = /^(\d{6})_[a-z0-9_]+\.sql$/.exec(name)?.[1];
  if (version === undefined)
    throw new MigrationError(`${name}: expected a name like 000007_what_it_does.sql`);
  return Number(version);
}

const recordsOf = (files: MigrationFile[]): AppliedMigration[] => files.flatMap(({ records }) => records);

/**
 * Returns true if a database with these versions has what the file makes.
 * @throws MigrationError when it has a part of a baseline
 */
function isApplied({ records, release }: MigrationFile, versions: ReadonlySet<number>): boolean {
  const missing = records.filter(({ version }) => !versions.has(version));
  if (missing.length > 0 && missing.length < records.length)
    throw new MigrationError(
      `The database is of a version before ${release}: it lacks ${missing[0].name}. Install Kindred ${release}, run its "kindred migrate", ` +
        'then install this version again.',
    );
  return missing.length === 0;
}

async function locked<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  let failed = true;
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    const result = await work(client);
    await client.query('select pg_advisory_unlock($1)', [lockKey]);
    failed = false;
    return result;
  } finally {
    // A connection that failed is closed, and its lock ends with it.
    client.release(failed);
  }
}

async function applyMissing(
  client: Client,
  migrations: MigrationFile[],
  applyOne: (client: Client, migration: MigrationFile) => Promise<void> = applyAlone,
): Promise<MigrationReport> {
  await checkServer(client);
  await client.query(`create table if not exists schema_migration (
    version integer primary key, name text not null, sha256 char(64) not null,
    applied_at timestamptz not null default clock_timestamp())`);
  // Databases from before the mark have no such column; their migrations count as breaking.
  await client.query(
    'alter table schema_migration add column if not exists compatible boolean not null default false',
  );
  const { rows } = await client.query<AppliedMigration>(
    'select version, name, sha256, compatible from schema_migration order by version',
  );
  checkApplied(rows, migrations);
  const versions = new Set(rows.map((row) => row.version));
  const missing = migrations.filter((file) => !isApplied(file, versions));
  for (const file of missing) await applyOne(client, file);
  const applied = recordsOf(missing);
  const version = Math.max(0, ...versions, ...applied.map((record) => record.version));
  return { applied: applied.map(({ name }) => name), version };
}

async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  if (rows[0].number >= minServerVersion) return;
  throw new MigrationError(`The database server is PostgreSQL ${rows[0].name}; Kindred needs 15 or newer.`);
}

function checkApplied(rows: AppliedMigration[], migrations: MigrationFile[]): void {
  const records = recordsOf(migrations);
  for (const row of rows) {
    const ours = records.find(({ version }) => version === row.version);
    if (!ours) {
      if (row.compatible) continue;
      throw new MigrationError(
        `The database has the migration ${row.name}, which this version of Kindred does not know: a newer version changed the schema. ` +
          'Install that version (or a newer one), or restore a backup from before the upgrade.',
      );
    }
    if (ours.sha256 !== row.sha256) {
      throw new MigrationError(
        `The migration ${ours.name} differs from what was applied to this database, which a version between two releases made. ` +
          'Copy the data by "kindred backup -o FILE", and restore them into a new folder, which makes the schema of this version: ' +
          '"SVC_DATA_DIR=NEW_FOLDER kindred restore FILE". Developers restore the file, and put changes into a new migration.',
      );
    }
  }
}

async function applyAlone(client: Client, file: MigrationFile): Promise<void> {
  try {
    await client.query('begin');
    await run(client, file);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function run(client: Client, { name, sql, records }: MigrationFile): Promise<void> {
  try {
    await client.query(sql);
    await client.query(
      `insert into schema_migration (version, name, sha256, compatible)
       select * from unnest($1::integer[], $2::text[], $3::text[], $4::boolean[])`,
      [
        records.map(({ version }) => version),
        records.map((record) => record.name),
        records.map(({ sha256 }) => sha256),
        records.map(({ compatible }) => compatible),
      ],
    );
  } catch (cause) {
    throw new MigrationError(`The migration ${name} failed: ${(cause as Error).message}`, { cause });
  }
}
