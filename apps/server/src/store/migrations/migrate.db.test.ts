import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, openDatabase } from '../postgres/connection.js';
import { MigrationError, migrate, pendingMigrations, resetDatabase } from './migrate.js';

let database: TestDatabase;
let db: Database;
let folder: string;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 8);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-migrations-'));
  await db.pool.query('drop schema public cascade; create schema public');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);

describe('migrate', () => {
  it('applies in order, once, and reports what it did', async () => {
    await write('000002_second.sql', 'alter table a add column y integer');
    await write('000001_first.sql', 'create table a (x integer)');
    expect(await pendingMigrations(db, folder)).toEqual(['000001_first.sql', '000002_second.sql']);
    expect(await migrate(db, folder)).toEqual({
      applied: ['000001_first.sql', '000002_second.sql'],
      version: 2,
    });
    expect(await migrate(db, folder)).toEqual({ applied: [], version: 2 });
    expect(await pendingMigrations(db, folder)).toEqual([]);
  });

  it('lets exactly one of several migrators apply each migration', async () => {
    await write('000001_first.sql', 'create table a (x integer); select pg_sleep(0.1)');
    await write('000002_second.sql', 'create table b (x integer)');
    const reports = await Promise.all([1, 2, 3, 4].map(() => migrate(db, folder)));
    expect(reports.map((report) => report.applied.length).sort()).toEqual([0, 0, 0, 2]);
  });

  it('leaves nothing of a migration that fails, and keeps those before it', async () => {
    await write('000001_first.sql', 'create table a (x integer)');
    await write('000002_second.sql', 'create table b (x integer); select 1/0');
    await expect(migrate(db, folder)).rejects.toThrow(/000002_second.sql failed: division by zero/);
    const { rows } = await db.pool.query("select to_regclass('a') as a, to_regclass('b') as b");
    expect(rows[0]).toEqual({ a: 'a', b: null });
    await write('000002_second.sql', 'create table b (x integer)');
    expect((await migrate(db, folder)).applied).toEqual(['000002_second.sql']);
  });

  it('refuses a newer migration that is breaking', async () => {
    await write('000001_first.sql', 'select 1');
    await write('000002_second.sql', 'select 2');
    await migrate(db, folder);
    await rm(join(folder, '000002_second.sql'));
    await expect(migrate(db, folder)).rejects.toThrow(/000002_second.sql, which this version .* newer/);
  });

  it('accepts newer migrations that are marked compatible', async () => {
    await write('000001_first.sql', 'create table a (x integer)');
    await write('000002_second.sql', '--! compatible\ncreate table b (x integer)');
    await migrate(db, folder);
    await rm(join(folder, '000002_second.sql'));
    expect(await migrate(db, folder)).toEqual({ applied: [], version: 2 });
    expect(await pendingMigrations(db, folder)).toEqual([]);
  });

  it('refuses a newer migration without the mark also between compatible ones', async () => {
    await write('000001_first.sql', '--! compatible\nselect 1');
    await write('000002_second.sql', '-- adds a column, --! compatible\nselect 2');
    await write('000003_third.sql', '--! compatible\nselect 3');
    await migrate(db, folder);
    await rm(join(folder, '000002_second.sql'));
    await rm(join(folder, '000003_third.sql'));
    await expect(migrate(db, folder)).rejects.toThrow(/000002_second.sql/);
  });

  it('refuses a compatible migration whose file was changed', async () => {
    await write('000001_first.sql', '--! compatible\nselect 1');
    await migrate(db, folder);
    await write('000001_first.sql', '--! compatible\nselect 2');
    await expect(migrate(db, folder)).rejects.toThrow(/differs/);
  });

  it('counts the migrations of a database from before the mark as breaking', async () => {
    await db.pool.query(`create table schema_migration (version integer primary key, name text not null,
      sha256 char(64) not null, applied_at timestamptz not null default clock_timestamp());
      insert into schema_migration (version, name, sha256) values (7, '000007_later.sql', repeat('0', 64))`);
    await write('000001_first.sql', 'select 1');
    await expect(migrate(db, folder)).rejects.toThrow(/000007_later.sql, which this version/);
  });

  it('refuses a file that was changed after it was applied', async () => {
    await write('000001_first.sql', 'select 1');
    await migrate(db, folder);
    await write('000001_first.sql', 'select 2');
    await expect(migrate(db, folder)).rejects.toThrow(MigrationError);
  });

  it.each([
    ['1_first.sql', /expected a name like/],
    ['000001_First.sql', /expected a name like/],
  ])('refuses the file name %s', async (name, message) => {
    await write(name, 'select 1');
    await expect(migrate(db, folder)).rejects.toThrow(message);
  });
});

describe('resetDatabase', () => {
  it('empties every table and keeps the audit log', async () => {
    await resetDatabase(db);
    await db.pool.query("insert into audit.audit_log (action) values ('db_reset')");
    await db.pool.query("insert into job (operation, queue_name) values ('ping', 'svc.ping')");
    const { applied } = await resetDatabase(db);
    expect(applied[0]).toBe('000001_catalogue.sql');
    const { rows } = await db.pool.query(
      'select (select count(*) from job) as jobs, (select count(*) from audit.audit_log) as acts',
    );
    expect(rows[0]).toEqual({ jobs: 0, acts: 1 });
  });
});
