import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { fromFloat16 } from '@kindred/kernels/arrays';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { insertEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import { sequenceMd5 } from '../../store/proteins/sequences.repository.js';
import { type LoadingBench, loadingBench } from '../../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { importEmbeddings } from './import-embeddings.js';
import { insertProteins } from '../../load/insert-proteins.js';

let database: TestDatabase;
let db: Database;
let bench: LoadingBench;
let folder: string;
let configId: string;

const recipe = {
  ...completeRecipe({ model_name: 'theirs', model_backend: 'imported', normalize: false }),
  dimension: 4,
};

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  folder = await mkdtemp(join(tmpdir(), 'kindred-vectors-'));
  bench = loadingBench(db, {
    importDirs: [folder, join(import.meta.dirname, '../vectors/golden')],
    cacheDir: folder,
  });
  await bench.run(insertProteins, { fasta_url: await write('>P1\nMKT\n>P2\nMKT\n>P3\nMKV\n>P4\nMKL\n') });
  configId = (await insertEmbeddingConfig(db, recipe)).id;
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await closeDatabase(db);
  await database.close();
});
afterEach(async () => {
  await sql`truncate sequence_embedding`.execute(db);
  // The download leaves no part behind.
  expect(await readdir(join(folder, 'imports'))).toEqual([]);
});

async function write(text: string): Promise<string> {
  const path = join(folder, `${Math.random()}.txt`);
  await writeFile(path, text);
  return pathToFileURL(path).href;
}
const goldenUrl = (name: string) => pathToFileURL(join(import.meta.dirname, '../vectors/golden', name)).href;
const run = (payload: Record<string, unknown>) =>
  bench.run(importEmbeddings, { embedding_config_id: configId, ...payload });

async function stored(): Promise<Record<string, number[]>> {
  const { rows } = await sql<{ accession: string; embedding: Buffer }>`
    select p.accession, e.embedding from sequence_embedding e join protein p using (sequence_id) order by 1`.execute(
    db,
  );
  return Object.fromEntries(
    rows.map(({ accession, embedding }) => [
      accession,
      Array.from(fromFloat16(new Uint16Array(Uint8Array.from(embedding).buffer))),
    ]),
  );
}

describe('import_embeddings', () => {
  it.each(['float16.h5', 'per-protein.npz', 'table.npz', 'lists.parquet'])('imports %s', async (name) => {
    const result = await run({ vectors_url: goldenUrl(name) });
    expect(result).toMatchObject({
      vectors_read: 2,
      sequences_matched: 2,
      vectors_inserted: 2,
      keys_not_in_database: 0,
      proteins_without_vector: 1,
      missing_accessions: ['P4'],
    });
    const p1 = [1.5, -2.25, 0, 0.0999755859375];
    expect(await stored()).toEqual({ P1: p1, P2: p1, P3: [65504, -0.5, 2 ** -24, 3] });
  });

  it('finds sequences by MD5 and by accession, and reports what it does not know', async () => {
    const text = `${sequenceMd5('MKV').toUpperCase()},1,2,3,4\nsp|P4|X,5,6,7,8\nP1,1,1,1,1\nP2,2,2,2,2\nQ9,0,0,0,0\n`;
    const result = await run({ vectors_url: await write(text), batch_size: 2 });
    expect(result).toMatchObject({
      format: 'csv',
      vectors_read: 5,
      sequences_matched: 3,
      keys_of_same_sequence: 1,
      keys_not_in_database: 1,
      extra_keys: ['Q9'],
      proteins_without_vector: 0,
    });
    expect(await stored()).toEqual({
      P1: [1, 1, 1, 1],
      P2: [1, 1, 1, 1],
      P3: [1, 2, 3, 4],
      P4: [5, 6, 7, 8],
    });
  });

  it('keeps existing vectors unless asked to replace them', async () => {
    await run({ vectors_url: await write('P1,1,1,1,1\n') });
    const other = await write('P1,9,9,9,9\nP3,3,3,3,3\n');
    expect(await run({ vectors_url: other })).toMatchObject({ vectors_inserted: 1, vectors_kept: 1 });
    expect((await stored()).P1).toEqual([1, 1, 1, 1]);
    await run({ vectors_url: other, replace: true });
    expect((await stored()).P1).toEqual([9, 9, 9, 9]);
  });

  it.each([
    ['another dimension', 'P1,1,2,3\n', /P1 has 3 numbers.*has 4/],
    ['a number beyond float16', 'P1,1,2,3,70000\n', /70000 as number 4/],
    ['nothing', '\n', /no vector/],
  ])('refuses %s', async (_name, text, message) => {
    await expect(run({ vectors_url: await write(text) })).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(message),
    });
    expect(await stored()).toEqual({});
  });

  it('checks that the configuration takes such vectors', async () => {
    const chunked = await insertEmbeddingConfig(db, { ...recipe, use_chunking: true });
    const unit = await insertEmbeddingConfig(db, { ...recipe, normalize: true });
    const vectors_url = await write('P1,1,1,1,1\n');
    await expect(run({ vectors_url, embedding_config_id: chunked.id })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(run({ vectors_url, embedding_config_id: unit.id })).rejects.toThrow(
      /length 2.000.*normalised/,
    );
    await run({ vectors_url: await write('P1,0.5,0.5,0.5,0.5\n'), embedding_config_id: unit.id });
  });
});
