import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { repositoryRoot } from '@kindred/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { migrate, migrateWithin, pendingMigrations, schemaFault } from './migrate.js';
import { dumpSchema } from './schema-dump.js';

// A baseline replaces the migrations of a release, whose files are in the history: it makes the same schema
// and the same records.

const release = '0.2.0';
const baseline = '000055_release_0_2_0.sql';
const git = (...args: string[]) =>
  execFileSync('git', ['-C', repositoryRoot(), ...args], { encoding: 'utf8' }).trimEnd();

let database: TestDatabase;
let db: Database;
let folder: string;
/** The release has these migrations, in order. */
let files: { name: string; text: string }[];

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 1);
  folder = await mkdtemp(join(tmpdir(), 'kindred-baseline-'));
  const versions = git('log', '--format=%H', `-S"version": "${release}"`, '--', 'package.json');
  const commit = versions.split('\n').at(-1);
  const paths =
    git('ls-tree', '-r', '--name-only', `${commit}`).match(/^.*\/migrations\/\d+_.*\.sql$/gm) ?? [];
  files = paths.map((path) => ({ name: basename(path), text: `${git('show', `${commit}:${path}`)}\n` }));
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true });
});
const empty = () =>
  db.pool.query(
    'drop schema public cascade; drop schema if exists broker, audit cascade; create schema public',
  );
beforeEach(empty);

async function folderOf(name: string, contents: typeof files): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  for (const file of contents) await writeFile(join(path, file.name), file.text);
  return path;
}

/** Reads the schema with the queries of its views, the rows, and the records of the migrations. */
async function state(): Promise<Record<string, unknown>> {
  const views = await db.pool.query(
    "select viewname, definition from pg_views where schemaname = 'public' order by 1",
  );
  const comments = await db.pool.query(
    `select objoid::regclass::text as table, objsubid, description from pg_description
     where classoid = 'pg_class'::regclass and objoid >= 16384 order by 1, 2`,
  );
  const tables = await db.pool.query(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind = 'r' and nspname in ('public', 'broker', 'audit') and relname <> 'schema_migration' order by 1`,
  );
  const filled: unknown[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await db.pool.query(`select * from ${name}`);
    if (rows.length > 0) filled.push({ name, rows });
  }
  const records = await db.pool.query(
    'select version, name, sha256, compatible from schema_migration order by version',
  );
  return {
    schema: await dumpSchema(db),
    views: views.rows,
    comments: comments.rows,
    filled,
    records: records.rows,
  };
}

it(`makes what the migrations of ${release} made`, async () => {
  const names = files.map(({ name }) => name);
  expect((await migrate(db, await folderOf('release', files))).applied).toEqual(names);
  const before = await state();
  expect(before.filled).toHaveLength(1);
  await empty();
  const text = await readFile(join(import.meta.dirname, baseline), 'utf8');
  const only = await folderOf('only', [{ name: baseline, text }]);
  expect((await migrate(db, only)).applied).toEqual(names);
  expect(await state()).toEqual(before);
});

it(`brings a database of ${release} to the schema of a new one`, async () => {
  await migrate(db, await folderOf('whole', files));
  const later = (await readdir(import.meta.dirname))
    .filter((name) => /^\d+_.*\.sql$/.test(name) && name > baseline)
    .sort();
  expect(await pendingMigrations(db)).toEqual(later);
  expect((await migrate(db)).applied).toEqual(later);
  expect(await dumpSchema(db)).toBe(await readFile(join(import.meta.dirname, '../schema.sql'), 'utf8'));
  const upgraded = await state();
  await empty();
  await migrate(db);
  expect(await state()).toEqual(upgraded);
});

it(`refuses a database from before ${release} with a way out, and leaves it as it is`, async () => {
  await migrate(db, await folderOf('earlier', files.slice(0, -2)));
  const before = await state();
  const wayOut =
    `The database is of a version before ${release}: it lacks 000054_worker_state.sql. ` +
    `Install Kindred ${release}, run its "kindred migrate", then install this version again.`;
  await expect(migrate(db)).rejects.toThrow(wayOut);
  expect(await schemaFault(db)).toBe(wayOut);
  const { rows: asOf } = await db.pool.query('select version, name from schema_migration');
  await expect(inTransaction(db, (trx) => migrateWithin(trx, asOf))).rejects.toThrow(wayOut);
  expect(await state()).toEqual(before);
});

it(`refuses a database whose migrations are not those of ${release}`, async () => {
  const [first, ...others] = files;
  await migrate(db, await folderOf('edited', [{ ...first, text: `${first.text}-- more\n` }, ...others]));
  await expect(migrate(db)).rejects.toThrow(/000001_catalogue.sql differs/);
});
