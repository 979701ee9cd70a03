import { copyFile, mkdtemp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { listBackups } from '../../store/maintenance/backups.repository.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { checkBackup } from './check.js';
import { upgrade } from './upgrade.js';

const shipped = join(import.meta.dirname, '..', '..', 'store', 'migrations');

let folder: string;
let database: TestDatabase;
let db: Database;
let said: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-upgrade-'));
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  said = [];
});

async function migrationsWith(name: string, sql: string): Promise<string> {
  const made = await mkdtemp(join(folder, 'migrations-'));
  for (const file of (await readdir(shipped)).filter((each) => each.endsWith('.sql')))
    await copyFile(join(shipped, file), join(made, file));
  await writeFile(join(made, name), sql);
  return made;
}
const run = (
  migrations: string,
  file?: string,
  signal = new AbortController().signal,
  copiesBefore: 'any' | 'breaking' = 'breaking',
) =>
  upgrade(
    { db, artifacts: createLocalArtifacts(join(folder, 'artifacts')), dataDir: folder, version: '9.0.0' },
    { copiesBefore, migrations, file, signal, say: (line) => void said.push(line) },
  );
const copies = () => readdir(join(folder, 'backups')).catch((): string[] => []);

it('copies nothing where the version before can go on', async () => {
  const migrations = await migrationsWith('900001_more.sql', '--! compatible\ncreate table more (id int)');
  expect(await run(migrations)).toMatchObject({ applied: ['900001_more.sql'] });
  expect([said, await copies()]).toEqual([[], []]);
  await db.pool.query('drop table more; delete from schema_migration where version = 900001');
});

it('copies all data before any change for who asks for it', async () => {
  const migrations = await migrationsWith('900003_more.sql', '--! compatible\ncreate table more (id int)');
  const file = join(folder, 'asked.kindred');
  expect(await run(migrations, file, undefined, 'any')).toMatchObject({ applied: ['900003_more.sql'] });
  expect((await checkBackup(file)).header.tables.length).toBeGreaterThan(10);
  await db.pool.query(
    'drop table more; delete from schema_migration where version = 900003; delete from backup',
  );
});

it('changes nothing when it cannot copy, and says what to do', async () => {
  const migrations = await migrationsWith('900002_break.sql', 'create table broken (id int)');
  const blocked = join(folder, 'blocked');
  await mkdir(join(blocked, 'x.kindred'), { recursive: true });
  await expect(run(migrations, join(blocked, 'x.kindred'))).rejects.toThrow(
    /^Nothing was changed, because no copy .*kindred upgrade -o FILE.*kindred migrate/,
  );
  await expect(run(migrations, undefined, AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended');
  expect(await copies()).toEqual([]);
  const { rows } = await db.pool.query("select to_regclass('public.broken') is null as same");
  expect(rows).toEqual([{ same: true }]);
});

it('leaves a proven copy and the way back when a migration fails', async () => {
  const migrations = await migrationsWith('900002_break.sql', 'select 1 / 0');
  const file = join(folder, 'elsewhere', 'failed.kindred');
  await expect(run(migrations, file)).rejects.toThrow(
    /900002_break.*All data as they were are in .*failed\.kindred\. To go back, run: SVC_DATA_DIR=NEW_FOLDER kindred restore --keep-schema .*failed\.kindred; then/,
  );
  expect((await checkBackup(file)).header.tables.length).toBeGreaterThan(10);
});

it('copies all data, tries the copy, changes the schema, and notes the copy', async () => {
  const migrations = await migrationsWith('900002_break.sql', 'create table broken (id int)');
  expect(await run(migrations)).toMatchObject({ applied: ['900002_break.sql'] });
  const names = await copies();
  expect(names).toEqual([expect.stringMatching(/^before-9\.0\.0-schema-\d+\.kindred$/)]);
  const file = join(folder, 'backups', names[0]);
  expect((await stat(file)).mode & 0o077).toBe(0);
  expect(said.at(-1)).toContain(`SVC_DATA_DIR=NEW_FOLDER kindred restore --keep-schema ${file};`);
  const { header } = await checkBackup(file);
  expect(header.migrations.some(({ version }) => version >= 900_000)).toBe(false);
  expect(await listBackups(db, 5)).toMatchObject([{ version: '9.0.0', verified_at: expect.anything() }]);
  expect(await run(migrations)).toMatchObject({ applied: [] });
});
