import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import { createS3Artifacts } from '../ground/artifacts/s3.js';
import { startS3 } from '../testing/artifacts/s3-server.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../store/postgres/connection.js';
import { fillCatalogue } from '../testing/tiny-catalogue.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { previewUnreferencedArtifacts, removeUnreferencedArtifacts } from './unreferenced-artifacts.js';

let database: TestDatabase;
let db: Database;
beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterEach(async () => {
  await closeDatabase(db);
  await database.close();
});

const dayMs = 86_400_000;
const inDays = (days: number) => ({ olderThanDays: 30, limit: 1000, now: Date.now() + days * dayMs });
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** No sweep may delete these keys: rows below name them, or the service does not write them. */
const named = [
  `datasets/${id(1)}/1/train.parquet`,
  `datasets/${id(1)}/1/manifest.json`,
  `evaluation-results/${id(2)}/frame.json`,
  `reference-files/${id(3)}`,
  `reference-packs/${id(4)}.kindred`,
  'rerankers/run-1/model.txt',
];
const ofOthers = [
  'datasets/ours/train.parquet',
  'audit/2025-01.jsonl.gz',
  'rerankers/run-2/notes/model.txt',
  'thesis/chapter-1.docx',
  `reference-files/${id(9)}/of-another-program`,
];
const unnamed = [
  `datasets/${id(1)}/2/train.parquet`,
  `evaluation-results/${id(5)}/frame.json`,
  `reference-files/${id(6)}`,
  `reference-packs/${id(7)}.kindred`,
  'rerankers/run-2/model.txt',
  'doctor/4711',
];

async function nameThem(store: ArtifactStore, bankOf: { configId: string; setId: string }): Promise<void> {
  // Rows of 0.3.0 and earlier hold whole addresses, some of a folder that was moved since.
  const uri = (n: number) => (n % 2 ? store.uriOf(named[n]) : `file:///moved/since/artifacts/${named[n]}`);
  await inTransaction(db, async (trx) => {
    // The rows are added without the sets that they belong to.
    await trx.client.query('set local session_replication_role = replica');
    await trx
      .insertInto('dataset')
      .values(datasetRow(uri(0), uri(1)))
      .execute();
    await trx.client.query(
      `insert into evaluation_result (evaluation_set_id, prediction_set_id, options, options_sha256, frame, results, artifacts)
       values (gen_random_uuid(), gen_random_uuid(), '{}', repeat('0', 64), '{}', '{}', $1)`,
      [JSON.stringify([{ name: 'frame.json', uri: uri(2), size_bytes: 1, sha256: '' }])],
    );
    await trx.client.query(
      `insert into reference_file (sha256, size_bytes, uri) values (repeat('0', 64), 1, $1)`,
      [uri(3)],
    );
    await trx.client.query(
      `insert into reference_pack (reference_number, uri, sha256, size_bytes) values (1, $1, repeat('0', 64), 1)`,
      [uri(4)],
    );
    await trx.client.query(
      `insert into reranker_model (name, run_id, artifact_uri, model_sha256, model_bytes, objective, tree_count, feature_names,
         feature_schema_sha, category_values, spec_yaml, run_json, metrics, feature_importance)
       values ('r', 'run-1', $1, repeat('0', 64), 1, 'binary', 1, '{}', 'a', '{}', '', '{}', '{}', '{}')`,
      [uri(5)],
    );
  });
  await store.put(`banks/${bankOf.configId}/${bankOf.setId}/banks.json`, Buffer.from('[]'));
}

const datasetRow = (train: string, manifest: string) => ({
  name: 'frozen',
  storage_backend: 'local',
  key_prefix: `datasets/${id(1)}/1`,
  train_uri: train,
  manifest_uri: manifest,
  schema_sha: 'a',
  train_row_count: 1,
  eval_row_count: 0,
  k: 5,
  annotation_source: 'goa',
});

async function keysIn(store: ArtifactStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
}

async function localStore() {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-sweep-'));
  return { store: createLocalArtifacts(folder), close: () => rm(folder, { recursive: true }) };
}
async function s3Store() {
  const s3 = await startS3();
  const place = { bucket: s3.bucket, prefix: 'lab', endpoint: s3.endpoint, region: null };
  return { store: createS3Artifacts(place), close: () => s3.close() };
}

describe.each([
  ['local', localStore],
  ['s3', s3Store],
])('unreferenced objects of the %s store', (_name, open) => {
  let place: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    place = await open();
  });
  afterAll(() => place?.close());

  it('are found when they are old, deleted in bounded steps, and nothing else is', async () => {
    const { store } = place;
    const bankOf = await fillCatalogue(db);
    const kept = [...named, ...ofOthers, `banks/${bankOf.configId}/${bankOf.setId}/banks.json`].sort();
    const bankOfNobody = `banks/${bankOf.configId}/${id(8)}/banks.json`;
    for (const key of [...named, ...ofOthers, ...unnamed, bankOfNobody])
      await store.put(key, Buffer.from('12345'));
    await nameThem(store, bankOf);

    expect((await previewUnreferencedArtifacts(db, store, inDays(29))).count).toBe(0);
    const found = await previewUnreferencedArtifacts(db, store, inDays(31));
    expect({ ...found, examples: found.examples.sort() }).toEqual({
      count: unnamed.length + 1,
      sizeBytes: 5 * (unnamed.length + 1),
      examples: [...unnamed, bankOfNobody].sort(),
      more: false,
    });
    expect(await keysIn(store)).toHaveLength(kept.length + unnamed.length + 1);

    // A job that began before the objects were written may be about to name them.
    const job = await db
      .insertInto('job')
      .values({ operation: 'export_research_dataset', queue_name: 'svc.jobs', status: 'RUNNING' })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await removeUnreferencedArtifacts(db, store, inDays(31))).count).toBe(0);
    await db.updateTable('job').set({ status: 'SUCCEEDED' }).where('id', '=', job.id).execute();

    const first = await removeUnreferencedArtifacts(db, store, { ...inDays(31), limit: 4 });
    expect(first).toMatchObject({ count: 4, sizeBytes: 20, more: true });
    expect(await keysIn(store)).toHaveLength(kept.length + unnamed.length - 3);
    expect(await removeUnreferencedArtifacts(db, store, inDays(31))).toMatchObject({
      count: unnamed.length - 3,
      more: false,
    });
    expect(await keysIn(store)).toEqual(kept);
  });
});
