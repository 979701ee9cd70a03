import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let operator: TestAccount;
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  operator = await test.account('operator');
});
afterAll(() => test?.close());

const absentId = '55555555-5555-4555-8555-555555555555';

it('lists sets with counts, and one with statistics', async () => {
  const [listed] = (await test.call({ url: '/v1/annotations/sets' })).body;
  expect(listed).toMatchObject({
    id: data.setId,
    source: 'goa',
    annotation_count: 3,
    protein_count: 2,
    obo_version: 'releases/2026-01-01',
  });
  const one = (await test.call({ url: `/v1/annotations/sets/${data.setId}` })).body;
  expect(one).toMatchObject({ ...listed, statistics: { by_evidence_code: { IDA: 3 } } });
  expect(problemIn(await test.call({ url: `/v1/annotations/sets/${absentId}` })).status).toBe(404);
});

it('queues loads against a snapshot that is there', async () => {
  const load = (path: string, payload: object) =>
    test.call({ method: 'POST', url: `/v1/annotations/sets/${path}`, payload, headers: operator.headers });
  const goa = {
    ontology_snapshot_id: data.snapshotId,
    gaf_url: 'file:///srv/import/goa.gaf.gz',
    source_version: '2026-01',
  };
  const queued = await load('load-goa', goa);
  expect(queued.status).toBe(202);
  const payload = async (headers = {}) =>
    (await test.call({ url: String(queued.headers.location), headers })).body.payload;
  expect(await payload(operator.headers)).toMatchObject({ ...goa, page_size: 10_000 });
  expect(await payload()).toMatchObject({ ...goa, gaf_url: 'goa.gaf.gz' });
  expect(problemIn(await load('load-goa', { ...goa, ontology_snapshot_id: absentId })).errors).toMatchObject([
    { path: '/ontology_snapshot_id', code: 'not_found' },
  ]);
  const quickgo = {
    ontology_snapshot_id: data.snapshotId,
    source_version: 'now',
    gene_product_ids: ['P00001'],
  };
  expect((await load('load-quickgo', quickgo)).status).toBe(202);
  expect(problemIn(await load('load-quickgo', { ...quickgo, gaf_url: 'x' })).errors?.[0].path).toBe(
    '/gaf_url',
  );
});

it('deletes a set with its annotations, but not while prediction sets use it', async () => {
  const remove = () =>
    test.call({ method: 'DELETE', url: `/v1/annotations/sets/${data.setId}`, headers: operator.headers });
  expect(problemIn(await remove())).toMatchObject({
    status: 409,
    code: 'in_use',
    detail: expect.stringContaining(data.predictionSetId),
  });
  await test.db.deleteFrom('prediction_set').execute();
  expect((await remove()).body).toEqual({ deleted: data.setId, annotations_deleted: 3 });
  expect(problemIn(await remove()).status).toBe(404);
});
