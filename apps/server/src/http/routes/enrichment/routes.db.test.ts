import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { insertSlim } from '../../../store/ontology/slims.repository.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';
import { problemIn, startTestApp, type TestApp, testSettings } from '../../../testing/test-app.js';

let test: TestApp;
let data: TestData;
const accessions = [...'ABCDEFGHIJ'];

/**
 * A to J have GO:0003674. A and B also have GO:0005515, which is below it by way of GO:0005488; B has it with
 * a low probability. J has a contradicted GO:0005515 and the only GO:0008150.
 */
beforeAll(async () => {
  test = await startTestApp({ rateLimits: { ...testSettings.rateLimits, jobs: '1000/minute' } });
  data = await fillCatalogue(test.db);
  const { db } = test;
  const [row] = await db.selectFrom('go_prediction').selectAll().where('is_nearest', '=', true).execute();
  const [query] = await db.selectFrom('prediction_set_protein').selectAll().execute();
  await db.deleteFrom('go_prediction').execute();
  await db.deleteFrom('prediction_set_protein').execute();
  const terms = await db.selectFrom('go_term').select(['id', 'go_id']).execute();
  const idOf = (goId: string) => terms.find((term) => term.go_id === goId)?.id as number;
  await db
    .insertInto('prediction_set_protein')
    .values([...accessions, 'Z'].map((protein_accession) => ({ ...query, protein_accession })))
    .execute();
  const predicted = (protein_accession: string, goId: string, values: object = {}) => ({
    ...row,
    protein_accession,
    go_term_id: idOf(goId),
    answer_rank: 1,
    probability: 0.9,
    ...values,
  });
  await db
    .insertInto('go_prediction')
    .values([
      ...accessions.map((accession) => predicted(accession, 'GO:0003674')),
      predicted('A', 'GO:0005515'),
      predicted('B', 'GO:0005515', { probability: 0.3 }),
      predicted('J', 'GO:0005515', { contradiction: 'NOT' }),
      predicted('J', 'GO:0008150'),
      predicted('C', 'GO:0005515', { probability: 0.01 }),
    ])
    .execute();
  await db.updateTable('prediction_set').set({ status: 'complete', method: 'combined' }).execute();
  const slim = { name: 'goslim_test', version: 'v1', obo_url: 'file:///slim.obo' };
  const binding = { go_id: 'GO:0005488', name: 'binding', aspect: 'F' as const };
  await insertSlim(db, { ...slim, terms: [binding] }, data.setId);
});
afterAll(() => test?.close());

const ask = (payload: object) =>
  test.call({
    method: 'POST',
    url: `/v1/embeddings/prediction-sets/${data.predictionSetId}/enrichment`,
    payload: { accessions: ['A', 'B'], max_rate: 1, ...payload },
  });
async function found(payload: object) {
  const { status, body } = await ask(payload);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
interface CountedRow {
  go_id: string;
  list_with_term: number;
  population_with_term: number;
}
interface Row {
  go_id: string;
  list: number;
  p_value: number;
  false_discovery_rate: number;
}
const ids = (body: { terms: Row[] }) => body.terms.map((row) => row.go_id);

describe('enrichment among the queries of a prediction set', () => {
  it("counts the terms of the answers with their ancestors, and tests by Fisher's exact test", async () => {
    const body = await found({ accessions: ['A', 'B', 'X', 'Z'] });
    expect(body).toMatchObject({ list: 2, population: 10, tested: 4, absent_count: 2, absent: ['X', 'Z'] });
    expect(body.terms[0]).toMatchObject({
      go_id: 'GO:0005488',
      go_name: 'binding',
      aspect: 'F',
      direction: 'more',
      list_with_term: 2,
      list: 2,
      population_with_term: 2,
      population: 10,
    });
    // The list is one of the 45 pairs of ten proteins; the aspect has three terms, and two of them are alike.
    expect(body.terms[0].p_value).toBeCloseTo(1 / 45, 12);
    expect(body.terms[0].false_discovery_rate).toBeCloseTo(1 / 30, 12);
    // The last two have p 1, except for rounding.
    expect(ids(body).slice(0, 2)).toEqual(['GO:0005488', 'GO:0005515']);
    const process = body.terms.find((row: Row) => row.go_id === 'GO:0008150');
    expect(process).toMatchObject({ direction: 'less', list_with_term: 0, population_with_term: 1 });
  });

  it('takes every parameter', async () => {
    expect(ids(await found({ max_rate: undefined }))).toEqual(['GO:0005488', 'GO:0005515']);
    expect(ids(await found({ limit: 1 }))).toEqual(['GO:0005488']);
    expect(ids(await found({ aspect: 'P' }))).toEqual(['GO:0008150']);
    expect(ids(await found({ slim: 'goslim_test' }))).toEqual(['GO:0005488']);
    const likely = await found({ min_probability: 0.5 });
    expect(likely.terms.find((row: Row) => row.go_id === 'GO:0005515')).toMatchObject({
      list_with_term: 1,
      population_with_term: 1,
    });
    const few = await found({ population: ['A', 'B', 'C', 'Z'] });
    expect(few).toMatchObject({ list: 2, population: 4 });
    const nested = await found({ method: 'parent_child' });
    const protein = nested.terms.find((row: Row) => row.go_id === 'GO:0005515');
    expect(protein).toMatchObject({ list: 2, population: 2, p_value: 1 });
  });

  it('refuses a list without any of its queries, an unknown slim, and a set that is being filled', async () => {
    expect(problemIn(await ask({ accessions: ['X'] })).errors?.[0].path).toBe('/accessions');
    expect(problemIn(await ask({ slim: 'none' })).errors?.[0].path).toBe('/slim');
    expect(problemIn(await ask({ accessions: [] })).errors?.[0].path).toBe('/accessions');
    expect(problemIn(await ask({ accessions: undefined })).errors?.[0].path).toBe('/accessions');
    await test.db.updateTable('prediction_set').set({ status: 'filling' }).execute();
    expect(problemIn(await ask({})).status).toBe(409);
    await test.db.updateTable('prediction_set').set({ status: 'complete' }).execute();
  });
});

it('compares all queries with the reference, each protein once with what is known of it', async () => {
  const { db } = test;
  const queryOf = (accession: string) =>
    db.updateTable('prediction_set_protein').where('protein_accession', '=', accession);
  await queryOf('A').set({ known_accession: 'P00001', known_by: 'sequence' }).execute();
  const body = await found({ accessions: undefined, compare_with: 'reference', min_probability: 0.5 });
  // P00001 is A; P00002 is the other protein of the reference, and Z has no term.
  expect(body).toMatchObject({ list: 10, population: 11, absent: ['Z'] });
  const counts = body.terms.map(({ go_id, list_with_term, population_with_term }: CountedRow) => [
    go_id,
    list_with_term,
    population_with_term,
  ]);
  expect(counts.sort()).toEqual([
    ['GO:0003674', 10, 11],
    ['GO:0005488', 1, 2],
    ['GO:0005515', 1, 2],
    ['GO:0008150', 1, 1],
  ]);
  const none = await found({ accessions: undefined, compare_with: 'reference', min_probability: 1 });
  expect(none).toMatchObject({ list: 1, population: 2 });
  await queryOf('A').set({ known_accession: null, known_by: null }).execute();
  const other = await found({ accessions: undefined, compare_with: 'reference', min_probability: 1 });
  expect(other).toMatchObject({ list: 0, population: 2 });
  await db.updateTable('prediction_set').set({ annotation_set_id: null }).execute();
  expect(problemIn(await ask({ compare_with: 'reference' })).errors?.[0].path).toBe('/compare_with');
  await db.updateTable('prediction_set').set({ annotation_set_id: data.setId }).execute();
});

it('enrichment among the proteins of an annotation set leaves out NOT and ND', async () => {
  const annotation = await test.db.selectFrom('protein_go_annotation').selectAll().executeTakeFirstOrThrow();
  const proteins = await test.db.selectFrom('protein').select(['id', 'accession']).execute();
  const terms = await test.db.selectFrom('go_term').select(['id', 'go_id']).execute();
  const row = (accession: string, goId: string, values: object = {}) => ({
    ...annotation,
    protein_id: proteins.find((one) => one.accession === accession)?.id as number,
    go_term_id: terms.find((one) => one.go_id === goId)?.id as number,
    ...values,
  });
  await test.db
    .insertInto('protein_go_annotation')
    .values([
      row('P00001', 'GO:0008150', { qualifier: 'NOT|involved_in' }),
      row('P00001', 'GO:0008150', { evidence_code: 'ND' }),
      row('P00002', 'GO:0005575'),
    ])
    .execute();
  const url = (id: string) => `/v1/annotations/sets/${id}/enrichment`;
  const payload = { accessions: ['P00001'], max_rate: 1 };
  // A complete set never changes, so this process would not count it again for the same folder.
  const app = await test.sibling({ cacheDir: `${test.settings.cacheDir}-changed` });
  const body = (await app.inject({ method: 'POST', url: url(data.setId), payload })).json();
  expect(body).toMatchObject({ list: 1, population: 2, tested: 4 });
  const counts = body.terms.map((one: Record<string, unknown>) => [
    one.go_id,
    one.list_with_term,
    one.population_with_term,
  ]);
  expect(counts).toEqual([
    ['GO:0003674', 1, 2],
    ['GO:0005488', 1, 2],
    ['GO:0005515', 1, 2],
    ['GO:0005575', 0, 1],
  ]);
  expect((await test.call({ method: 'POST', url: url(data.predictionSetId), payload })).status).toBe(404);
});

it('an enrichment that takes too long ends with 503 and what to do, and reads no further', async () => {
  const late = AbortSignal.abort(
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  );
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late);
  const run = vi.spyOn(test.compute, 'run');
  try {
    const ofSet = {
      url: `/v1/annotations/sets/${data.setId}/enrichment`,
      payload: { accessions: ['P00001'] },
    };
    const answers = [
      await ask({}),
      await ask({ compare_with: 'reference', accessions: undefined }),
      await test.call({ method: 'POST', ...ofSet }),
    ];
    for (const answer of answers) {
      expect(problemIn(answer)).toMatchObject({ status: 503, code: 'service_unavailable' });
      expect(answer.body.detail).toMatch(/took longer than .* Ask for less, or try again/);
      expect(answer.headers['retry-after']).toBe('60');
    }
    expect(run).not.toHaveBeenCalled();
  } finally {
    run.mockRestore();
    timeout.mockRestore();
  }
});
