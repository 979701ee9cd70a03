import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from 'kysely';
import type { KeyedVector } from '../../../predict/vectors/keyed-vector.js';
import { detectVectorFormat, vectorReader } from '../../../predict/vectors/vector-file.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let researcher: TestAccount;
let folder: string;
let configId: string;
beforeAll(async () => {
  test = await startTestApp();
  researcher = await test.account('researcher');
  configId = (await fillCatalogue(test.db)).configId;
  folder = await mkdtemp(join(tmpdir(), 'kindred-download-'));
});
afterAll(async () => {
  await test?.close();
  await rm(folder, { recursive: true });
});

async function download(query: string): Promise<KeyedVector[]> {
  const answer = await test.app.inject({
    url: `/v1/embeddings/configs/${configId}/vectors?${query}`,
    headers: researcher.headers,
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-disposition']).toContain(configId);
  const path = join(folder, String(Math.random()));
  await writeFile(path, answer.rawPayload);
  const all: KeyedVector[] = [];
  for await (const batch of (await vectorReader(await detectVectorFormat(path)))(path, 10))
    all.push(...batch);
  return all;
}

it.each(['csv', 'npz', 'parquet', 'hdf5'])('hands out the vectors as %s', async (format) => {
  const { rows } = await sql<{ accession: string; sequence_md5: string; bytes: number }>`
    select p.accession, s.sequence_md5, length(e.embedding) as bytes from protein p join sequence s on s.id = p.sequence_id
    join sequence_embedding e on e.sequence_id = s.id order by 1`.execute(test.db);
  expect(rows.length).toBeGreaterThan(0);
  const found = await download(`format=${format}`);
  expect(found.map(({ key, vector }) => [key, 2 * vector.length])).toEqual(
    rows.map(({ accession, bytes }) => [accession, bytes]),
  );
  const [csv] = await download('format=csv');
  expect(found[0].vector).toEqual(csv.vector);
  const filed = await download(`format=${format}&key=md5`);
  expect(new Set(filed.map(({ key }) => key))).toEqual(new Set(rows.map((row) => row.sequence_md5)));
});

it('refuses what is not there', async () => {
  const absent = '00000000-0000-4000-8000-000000000000';
  const get = (url: string) => test.call({ url, headers: researcher.headers });
  expect(problemIn(await get(`/v1/embeddings/configs/${absent}/vectors`)).status).toBe(404);
  expect(problemIn(await get(`/v1/embeddings/configs/${configId}/vectors?format=xls`)).status).toBe(422);
});

it('makes configurations for imported vectors with the dimension that is given', async () => {
  const operator = await test.account('operator');
  const create = (payload: object) =>
    test.call({ method: 'POST', url: '/v1/embeddings/configs', payload, headers: operator.headers });
  const body = {
    model_name: 'ProtT5 of UniProt',
    model_backend: 'imported',
    dimension: 1024,
    normalize: false,
  };
  expect(await create(body)).toMatchObject({
    status: 201,
    body: { dimension: 1024, model_backend: 'imported' },
  });
  const { dimension: _, ...without } = body;
  expect(problemIn(await create(without)).errors?.[0].path).toBe('/dimension');
  expect(problemIn(await create({ model_name: 'tiny', model_backend: 'test', dimension: 4 })).status).toBe(
    422,
  );
});
