import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { copyOut, tablesToCopy } from '../../store/maintenance/database-copy.repository.js';
import { dumpSchema } from '../../store/migrations/schema-dump.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { inSnapshot } from '../../store/postgres/copied-rows.js';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { fillWholeWorld } from '../../testing/whole-world.js';
import { writeBackup } from './backup.js';
import { checkBackup } from './check.js';
import { type RestoreTarget, restoreBackup, settleRestore } from './restore.js';

let folder: string;
let source: TestDatabase;
let target: TestDatabase;
let from: Database;
let to: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-backup-'));
  [source, target] = [await testDatabase(), await testDatabase()];
  from = openDatabase(source.url, 4);
  to = openDatabase(target.url, 4);
  await empty();
});
afterAll(async () => {
  await closeDatabase(from);
  await closeDatabase(to);
  await source.close();
  await target.close();
  await rm(folder, { recursive: true });
});

const empty = () =>
  to.pool.query(
    'drop schema public cascade; drop schema if exists broker, audit cascade; create schema public',
  );

async function rowsOf(db: Database): Promise<Record<string, string>> {
  return inSnapshot(db, async (trx) => {
    const all: Record<string, string> = {};
    for (const table of await tablesToCopy(trx)) {
      let text = '';
      for await (const chunk of copyOut(trx, table)) text += chunk;
      all[table.name] = text;
    }
    return all;
  });
}

async function madeFolder(name: string): Promise<string> {
  await mkdir(join(folder, name), { recursive: true });
  return join(folder, name);
}

const artifactsOf = (name: string) => createLocalArtifacts(join(folder, name, 'artifacts'));
const place = (name: string, db: Database) => ({
  db,
  artifacts: artifactsOf(name),
  dataDir: join(folder, name),
});

const restore = async (name: string, target: RestoreTarget) =>
  restoreBackup(await checkBackup(join(folder, `${name}.kindred`)), target);

async function relationsOf(db: Database): Promise<unknown[]> {
  const { rows } =
    await db.pool.query(`select relname from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname in ('public', 'broker', 'audit')`);
  return rows;
}

/** Reads how each trigger fires, because a restore turns triggers off for a while. */
async function triggersOf(db: Database): Promise<unknown[]> {
  const { rows } =
    await db.pool.query(`select tgrelid::regclass::text as of_table, tgname, tgenabled from pg_trigger
    where not tgisinternal order by 1, 2`);
  return rows;
}

it('restores every row, sequence and artifact, while the source is written to', async () => {
  await writeFile(join(await madeFolder('a'), 'jwt-secret'), 'x'.repeat(40));
  await fillWholeWorld(from, artifactsOf('a'));
  const before = await rowsOf(from);
  expect(Object.keys(before).filter((name) => before[name] === '')).toEqual([]);
  expect(before['public.bank_change']).not.toBe('');
  const file = join(folder, 'one.kindred');
  const writing = writeBackup({ ...place('a', from), version: '1.2.3' }, file);
  // The backup contains every commit before the snapshot as a whole, and no later one.
  for (let i = 0; i < 20; i++)
    await from.pool.query(`with j as (insert into job (operation, queue_name) values ('late', 'svc.jobs') returning id)
      insert into job_event (job_id, event) select id, 'late' from j`);
  await writing;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const report = await restore('one', place('b', to));
  expect(report).toMatchObject({ artifacts: 2, migrated: [] });

  const after = await rowsOf(to);
  const [oldRoot, newRoot] = ['a', 'b'].map((name) => pathToFileURL(join(folder, name, 'artifacts')).href);
  const late = (rows: string) => rows.split('\n').filter((line) => /\tlate\t/.test(line)).length;
  expect(late(after['public.job'])).toBe(late(after['public.job_event']));
  for (const [name, rows] of Object.entries(before)) {
    const kept = after[name].split('\n').filter((line) => !/\tlate\t/.test(line));
    expect(kept.join('\n'), name).toBe(rows.replaceAll(oldRoot, newRoot));
  }
  expect(await triggersOf(to)).toEqual(await triggersOf(from));
  const { rows } = await to.pool.query(
    `insert into sequence (sequence, sequence_md5, length) values ('X', 'x', 1) returning id`,
  );
  expect(rows[0].id).toBe(42);
  expect(await readFile(join(folder, 'b', 'jwt-secret'), 'utf8')).toBe('x'.repeat(40));
  expect(await artifactsOf('b').size(artifactsOf('b').uriOf('references/1/whole.pack'))).toBe(9_000_000);
  await expect(to.pool.query('delete from audit.audit_log')).rejects.toThrow('append-only');
});

it('restores for a role that may not choose how triggers fire', async () => {
  const password = 'plain';
  await to.pool.query(`create role kindred_plain login password '${password}'`);
  await empty();
  await to.pool.query(`alter database ${target.name} owner to kindred_plain; drop schema public;
    set role kindred_plain; create schema public; reset role`);
  const address = new URL(target.url);
  [address.username, address.password] = ['kindred_plain', password];
  const plain = openDatabase(address.href, 2);
  try {
    await restore('one', place('plain', plain));
    const counts = 'select count(*)::int from bank_change';
    expect((await plain.pool.query(counts)).rows).toEqual((await from.pool.query(counts)).rows);
  } finally {
    await closeDatabase(plain);
    await empty();
    await to.pool.query(`reassign owned by kindred_plain to current_user; drop role kindred_plain`);
  }
});

it('restores a backup of the version whose backups could not be restored, and brings it to this version', async () => {
  const old = join(import.meta.dirname, '..', '..', 'testing', 'backup', 'format-1.kindred');
  const report = await restoreBackup(await checkBackup(old), place('old', to));
  expect(report).toMatchObject({ artifacts: 2, tables: 79 });
  const { rows } = await to.pool.query(`select (select count(*)::int from sequence_embedding) as vectors,
    (select count(*)::int from bank_change) as changes`);
  expect(rows).toEqual([{ vectors: 1, changes: 1 }]);
  expect(await triggersOf(to)).toEqual(await triggersOf(from));
});

it('restores a backup of release 0.2.0, and brings it to this version', async () => {
  await empty();
  const old = join(import.meta.dirname, '..', '..', 'testing', 'backup', 'release-0.2.0.kindred');
  const report = await restoreBackup(await checkBackup(old), place('0.2.0', to));
  expect(report).toMatchObject({ artifacts: 1, tables: 69 });
  expect(report.migrated[0]).toBe('000056_prediction_donors.sql');
  // No migration makes the table of a set that was being loaded.
  await to.pool.query('drop table protein_go_annotation_s2');
  const schema = join(import.meta.dirname, '..', '..', 'store', 'schema.sql');
  expect(await dumpSchema(to)).toBe(await readFile(schema, 'utf8'));
  const { rows } =
    await to.pool.query(`select p.source_id, p.supporters, t.go_id, r.name || '@' || r.version as reference,
      (select count(*)::int from protein_go_annotation) as annotations,
      (select octet_length(embedding) from sequence_embedding) as vector
    from go_prediction p join go_term t on t.id = p.go_term_id, reference r`);
  expect(rows).toEqual([
    {
      source_id: 'P00001',
      supporters: null,
      go_id: 'GO:0003674',
      reference: 'example@1',
      annotations: 3,
      vector: 4,
    },
  ]);
});

it('refuses a database that is not empty, and leaves it as it is', async () => {
  const before = await rowsOf(to);
  await expect(restore('one', place('b', to))).rejects.toMatchObject({ code: 'conflict' });
  expect(await rowsOf(to)).toEqual(before);
});

it('leaves nothing behind when it fails late, and nothing of others away', async () => {
  await empty();
  const store = artifactsOf('late');
  await store.put('datasets/empty.parquet', Buffer.alloc(0));
  const full = { ...store, put: () => Promise.reject(new Error('The disk is full.')) };
  await expect(restore('one', { ...place('late', to), artifacts: full })).rejects.toThrow('disk is full');
  expect(await relationsOf(to)).toEqual([]);
  expect(await readdir(join(folder, 'late'))).toEqual(['artifacts']);
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  expect(keys).toEqual(['datasets/empty.parquet']);
  // The same backup can be restored as soon as the fault is gone; objects that the store already has stay.
  expect(await restore('one', place('late', to))).toMatchObject({ artifacts: 2 });
  await empty();
  await store.put('datasets/empty.parquet', Buffer.from('of others'));
  await expect(restore('one', place('late', to))).rejects.toMatchObject({ code: 'conflict' });
  expect(await relationsOf(to)).toEqual([]);
  expect(await store.size(store.uriOf('datasets/empty.parquet'))).toBe(9);
});

it('says which file could not get its place after the rows, and gives it that later', async () => {
  await empty();
  const secret = join(folder, 'cut', 'jwt-secret');
  await mkdir(join(secret, 'in the way'), { recursive: true });
  const sentence =
    /The rows are restored, but .*jwt-secret\.restored could not be renamed to .* start the service/;
  await expect(restore('one', place('cut', to))).rejects.toThrow(sentence);
  const target = { db: to, dataDir: join(folder, 'cut') };
  await expect(settleRestore(target)).rejects.toThrow(sentence);
  await rm(secret, { recursive: true });
  expect(await settleRestore(target)).toEqual({ outcome: 'finished', files: [secret] });
  expect(await readFile(secret, 'utf8')).toBe('x'.repeat(40));
  expect(await settleRestore(target)).toBeNull();
});

it('removes the files of a restore that was ended before its rows were in the database', async () => {
  await empty();
  const dataDir = await madeFolder('early');
  await writeFile(join(dataDir, 'jwt-secret'), 'own');
  await writeFile(join(dataDir, 'jwt-secret.restored'), 'of the backup');
  const files = [join(dataDir, 'jwt-secret')];
  expect(await settleRestore({ db: to, dataDir })).toEqual({ outcome: 'undone', files });
  expect(await readdir(dataDir)).toEqual(['jwt-secret']);
  expect(await readFile(join(dataDir, 'jwt-secret'), 'utf8')).toBe('own');
});

it('brings rows of an older schema to that of this version', async () => {
  const file = join(folder, 'older.kindred');
  await from.pool.query(`drop table backup; delete from schema_migration where name = '000097_backups.sql'`);
  await writeBackup({ ...place('a', from), version: '1.2.3' }, file);
  await empty();
  expect((await restore('older', place('d', to))).migrated).toEqual(['000097_backups.sql']);
  expect((await to.pool.query('select count(*)::int as n from backup')).rows).toEqual([{ n: 0 }]);
});
