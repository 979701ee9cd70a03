import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  test = await startTestApp();
  operator = await test.account('operator');
});
afterAll(() => test?.close());

const create = (payload: object) =>
  test.call({ method: 'POST', url: '/v1/embeddings/configs', payload, headers: operator.headers });
const remove = (id: string) =>
  test.call({ method: 'DELETE', url: `/v1/embeddings/configs/${id}`, headers: operator.headers });

it('creates a configuration with the dimension that the backend tells', async () => {
  const made = await create({ model_name: 'tiny', model_backend: 'test', description: 'd' });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    dimension: 4,
    layer_indices: [0],
    pooling: 'mean',
    max_length: 1022,
    embedding_count: 0,
  });
  expect((await test.call({ url: String(made.headers.location) })).body).toEqual(made.body);
  const equal = await create({ model_name: 'tiny', model_backend: 'test', description: 'in other words' });
  expect([equal.status, equal.body]).toEqual([200, made.body]);
  const other = await create({ model_name: 'tiny', model_backend: 'test', pooling: 'max' });
  expect(other.status).toBe(201);
  expect(other.body.id).not.toBe(made.body.id);
  const list = await test.call({ url: '/v1/embeddings/configs' });
  expect(list.body.map((config: { id: string }) => config.id)).toEqual([other.body.id, made.body.id]);
  expect((await remove(made.body.id)).body).toEqual({ deleted: made.body.id, embeddings_deleted: 0 });
  expect(problemIn(await remove(made.body.id)).status).toBe(404);
});

it.each([
  ['an unknown model', { model_name: 'huge', model_backend: 'test' }, 'unknown_model'],
  ['an unknown backend', { model_name: 'tiny', model_backend: 'none' }, 'backend_unavailable'],
  [
    'an overlap as long as the chunk',
    { model_name: 'tiny', model_backend: 'test', chunk_overlap: 512 },
    'validation_failed',
  ],
  ['no layer', { model_name: 'tiny', model_backend: 'test', layer_indices: [] }, 'validation_failed'],
  ['an unknown key', { model_name: 'tiny', model_backend: 'test', device: 'cuda' }, 'validation_failed'],
])('refuses %s', async (_name, body, code) => {
  expect(problemIn(await create(body))).toMatchObject({ status: 422, code });
});

it('keeps a configuration that prediction sets use, and deletes vectors with the others', async () => {
  const data = await fillCatalogue(test.db);
  const { body: further } = await create({ model_name: 'tiny', model_backend: 'test', pooling: 'cls' });
  await test.db.pool.query('update prediction_set set parameters = $1 where id = $2', [
    JSON.stringify({ more_embedding_config_ids: [further.id] }),
    data.predictionSetId,
  ]);
  for (const id of [data.configId, further.id]) {
    const { body } = await test.call({
      url: `/v1/dependents/embedding_config/${id}`,
      headers: operator.headers,
    });
    expect(body.first).toEqual([expect.objectContaining({ kind: 'prediction_set', count: 1 })]);
    expect(problemIn(await remove(id))).toMatchObject({
      code: 'in_use',
      detail: expect.stringContaining(data.predictionSetId),
    });
  }
  await test.call({
    method: 'DELETE',
    url: `/v1/embeddings/prediction-sets/${data.predictionSetId}`,
    headers: operator.headers,
  });
  expect((await remove(data.configId)).body).toEqual({ deleted: data.configId, embeddings_deleted: 1 });
  expect((await remove(further.id)).body).toEqual({ deleted: further.id, embeddings_deleted: 0 });
});

it('lets no prediction set begin with a further configuration that is gone', async () => {
  const { body: gone } = await create({ model_name: 'tiny', model_backend: 'test', pooling: 'mean_max' });
  await remove(gone.id);
  const insert = test.db.pool.query(
    `insert into prediction_set (ontology_snapshot_id, limit_per_entry, parameters)
     select id, 5, $1 from ontology_snapshot limit 1 returning id`,
    [JSON.stringify({ more_embedding_config_ids: [gone.id] })],
  );
  await expect(insert).rejects.toThrow(/an embedding configuration of prediction set .* was deleted/);
});
