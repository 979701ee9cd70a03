import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalArtifacts } from '../artifacts/local.js';
import { copyOut, inSnapshot, tablesToCopy } from '../store/maintenance/database-copy.repository.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { type TestDatabase, testDatabase } from '../testing/test-database.js';
import { writeBackup } from './backup.js';
import { restoreBackup } from './restore.js';

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
    'drop schema public cascade; drop schema broker cascade; drop schema audit cascade; create schema public',
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

const artifactsOf = (name: string) => createLocalArtifacts(join(folder, name, 'artifacts'));
const place = (name: string, db: Database) => ({
  db,
  artifacts: artifactsOf(name),
  dataDir: join(folder, name),
});

/** A partition of a complete set and the table of one that is loading, rows that refer to each other, bytes and texts that need care. */
async function fill(): Promise<void> {
  const artifact = await artifactsOf('a').put('datasets/1/train.parquet', Buffer.alloc(9_000_000, 'kindred'));
  await artifactsOf('a').put('empty', Buffer.alloc(0));
  await writeFile(join(folder, 'a', 'jwt-secret'), 'x'.repeat(40));
  const client = await from.pool.connect();
  await client.query(`
    insert into ontology_snapshot (obo_version, obo_url, obo_sha256, term_counts, relationship_count, alt_id_count)
      values ('v', 'x', repeat('0', 64), '{}', 0, 0);
    insert into annotation_set (source, source_version, ontology_snapshot_id, state)
      select 'goa', v, id, s from ontology_snapshot, (values ('1', 'complete'), ('2', 'loading')) t (v, s);
    create table protein_go_annotation_s1 (like protein_go_annotation including defaults, check (annotation_set_number = 1));
    alter table protein_go_annotation attach partition protein_go_annotation_s1 for values in (1);
    create table protein_go_annotation_s2 (like protein_go_annotation including defaults, check (annotation_set_number = 2));
    insert into sequence (sequence, sequence_md5, length) select repeat('M', n), md5(n::text), n from generate_series(1, 500) n;
    insert into job (operation, queue_name, payload) values ('ping', 'svc.ping', '{"text": "a\\tb\\n\\\\ é"}');
    insert into job (operation, queue_name, parent_job_id) select 'ping', 'svc.ping', id from job;
    insert into broker.message (queue, body) values ('svc.ping', '\\x00ff0a5c');
    insert into audit.audit_log (action) values ('signup')`);
  await client.query(`insert into job (operation, queue_name, result) values ('x', 'svc.jobs', $1)`, [
    JSON.stringify({ uri: artifact.uri }),
  ]);
  client.release();
}

it('restores every row, sequence and artifact, while the source is written to', async () => {
  await fill();
  const before = await rowsOf(from);
  const file = join(folder, 'one.kindred');
  const writing = writeBackup({ ...place('a', from), version: '1.2.3' }, file);
  // Whatever of these commits before the snapshot is in the backup; nothing is in it by half.
  for (let i = 0; i < 20; i++)
    await from.pool.query(`with j as (insert into job (operation, queue_name) values ('late', 'svc.jobs') returning id)
      insert into job_event (job_id, event) select id, 'late' from j`);
  await writing;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const report = await restoreBackup(file, place('b', to));
  expect(report).toMatchObject({ version: '1.2.3', artifacts: 2, migrated: [] });

  const after = await rowsOf(to);
  const [oldRoot, newRoot] = ['a', 'b'].map((name) => pathToFileURL(join(folder, name, 'artifacts')).href);
  const late = (rows: string) => rows.split('\n').filter((line) => /\tlate\t/.test(line)).length;
  expect(late(after['public.job'])).toBe(late(after['public.job_event']));
  for (const [name, rows] of Object.entries(before)) {
    const kept = after[name].split('\n').filter((line) => !/\tlate\t/.test(line));
    expect(kept.join('\n'), name).toBe(rows.replaceAll(oldRoot, newRoot));
  }
  const { rows } = await to.pool.query(
    `insert into sequence (sequence, sequence_md5, length) values ('X', 'x', 1) returning id`,
  );
  expect(rows[0].id).toBe(501);
  expect(await readFile(join(folder, 'b', 'jwt-secret'), 'utf8')).toBe('x'.repeat(40));
  expect(await artifactsOf('b').size(artifactsOf('b').uriOf('datasets/1/train.parquet'))).toBe(9_000_000);
  await expect(to.pool.query('delete from audit.audit_log')).rejects.toThrow('append-only');
});

it('refuses a database that is not empty', async () => {
  await expect(restoreBackup(join(folder, 'one.kindred'), place('b', to))).rejects.toMatchObject({
    code: 'conflict',
  });
});

it('restores nothing of a damaged backup', async () => {
  const file = join(folder, 'one.kindred');
  await empty();
  const { size } = await stat(file);
  await truncate(file, size - 100);
  await expect(restoreBackup(file, place('c', to))).rejects.toMatchObject({ code: 'bad_file' });
  const { rows } = await to.pool.query('select count(*)::int as n from sequence');
  expect(rows).toEqual([{ n: 0 }]);
});

it('brings rows of an older schema to that of this version', async () => {
  const file = join(folder, 'older.kindred');
  await from.pool.query(`drop table visitor_day; drop index job_finished;
    delete from schema_migration where name = '000055_retention.sql'`);
  await writeBackup({ ...place('a', from), version: '1.2.3' }, file);
  await empty();
  expect((await restoreBackup(file, place('d', to))).migrated).toEqual(['000055_retention.sql']);
  expect((await to.pool.query('select count(*)::int as n from visitor_day')).rows).toEqual([{ n: 0 }]);
});
