import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Memory } from '../../ground/memory.js';
import { numberSequences, type ReferenceBank } from '../compute/reference-bank.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/db.js';
import { inlineCompute } from '../../testing/inline-compute.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { combinedReferenceOf } from './combined-reference.js';

let database: TestDatabase;
let db: Database;
let bank: ReferenceBank;
let folder: string;

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'kindred-combined-'));
  db = openDatabase(database.url, 2);
  const texts = ['MKTAYIAKQRQISFVKSHFSRQ', 'WHMCYWPNFHWCMYIWPHNCFW'];
  const { rows } = await sql<{ id: number }>`
    insert into sequence (sequence, sequence_md5, length)
    select text, md5(text), length(text) from unnest(${texts}::text[]) as text returning id`.execute(db);
  bank = {
    vectorsFile: join(folder, 'banks', 'two proteins', 'vectors.bank'),
    arrays: {
      ...numberSequences(rows.map(({ id }) => id)),
      referenceSequence: Int32Array.of(0, 1),
      referenceTaxon: Int32Array.of(1, 1),
      termStart: Int32Array.of(0, 0, 0),
      terms: new Int32Array(0),
      groups: new Uint8Array(0),
    },
    origin: { key: 'two proteins' },
    selection: null,
  } as unknown as ReferenceBank;
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true });
});

const snapshot = randomUUID();
const contextOf = (memory: Memory, controller = new AbortController()) => ({
  ...{ db, memory, compute: inlineCompute(), signal: controller.signal },
});

it('makes one index for callers that come together', async () => {
  const context = contextOf(new Memory());
  const both = await Promise.all([1, 2].map(() => combinedReferenceOf(bank, snapshot, context)));
  expect(both[0].index.start).toHaveLength(3);
  const third = await combinedReferenceOf(bank, snapshot, context);
  // A failure must not print the arrays.
  expect([both[1], third].map(({ index }) => index === both[0].index)).toEqual([true, true]);
});

it('makes the index for the next caller if the first one was cancelled', async () => {
  const memory = new Memory();
  const cancelled = new AbortController();
  const first = combinedReferenceOf(bank, snapshot, contextOf(memory, cancelled));
  const second = combinedReferenceOf(bank, snapshot, contextOf(memory));
  cancelled.abort();
  await expect(first).rejects.toThrow(/abort/i);
  expect((await second).index.start).toHaveLength(3);
});

it('reads the index that an earlier process made, without a sequence from the database', async () => {
  const words = join(folder, 'words');
  const first = await combinedReferenceOf(bank, snapshot, contextOf(new Memory()));
  await expect.poll(() => readdir(words).catch(() => [])).toEqual(['two proteins']);
  // The ids are of no sequence, so an index that is made now would fail.
  const others = { ...bank, arrays: { ...bank.arrays, ...numberSequences([1e9, 1e9 + 1]) } };
  const second = await combinedReferenceOf(others, snapshot, contextOf(new Memory()));
  expect(second.index.places).toEqual(first.index.places);
  await rm(words, { recursive: true });
  await expect(combinedReferenceOf(others, snapshot, contextOf(new Memory()))).rejects.toThrow();
});
