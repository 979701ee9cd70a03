import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../../test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
});
afterAll(() => test?.close());

const get = (url: string) => test.call({ url: `/v1/proteins${url}` });

it('counts the catalogue', async () => {
  expect((await get('/stats')).body).toEqual({ total: 2, canonical: 2, reviewed: 1, organisms: 2 });
});

it('filters and pages', async () => {
  const accessions = async (query: string) =>
    (await get(query)).body.items.map((item: { accession: string }) => item.accession);
  expect(await accessions('?organism=Mus%20musculus')).toEqual(['P00002']);
  expect(await accessions('?reviewed=true')).toEqual(['P00001']);
  expect(await accessions('?reviewed=false&taxonomy_id=10090')).toEqual(['P00002']);
  expect(await accessions('?search=p00001_h')).toEqual(['P00001']);
  expect(await accessions('?search=100%25')).toEqual(['P00001', 'P00002']);
  expect(await accessions('?search=1_0')).toEqual([]);
  const page = await get('?limit=1');
  expect(page.body).toMatchObject({ total: 2, offset: 0, limit: 1 });
  expect(String(page.headers.link)).toContain('offset=1');
  expect(problemIn(await get('?reviewed=perhaps')).errors?.[0].path).toBe('/reviewed');
  expect(problemIn(await get('?offset=-1')).errors?.[0].path).toBe('/offset');
});

it('shows one protein with its metadata', async () => {
  const { body } = await get('/P00001');
  expect(body).toMatchObject({
    accession: 'P00001',
    is_canonical: true,
    sequence: 'MKTAYIAK',
    metadata: { function_cc: 'Binds.', kinetics: null },
  });
  expect((await get('/P00002')).body.metadata).toBeNull();
  expect(problemIn(await get('/P99999'))).toMatchObject({ status: 404, code: 'not_found' });
});

it('shows annotations across all sets, in pages', async () => {
  const { body } = await get('/P00001/annotations');
  expect(body).toHaveLength(2);
  expect(body[0]).toMatchObject({
    go_id: 'GO:0005488',
    evidence_code: 'IDA',
    annotation_set_id: data.setId,
    annotation_set_source: 'goa',
  });
  const first = await get('/P00001/annotations?limit=1');
  expect(first.body).toHaveLength(1);
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
  expect((await test.call({ url: next })).body[0].go_id).toBe('GO:0005515');
  expect(problemIn(await get('/P99999/annotations')).status).toBe(404);
});
