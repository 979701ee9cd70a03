import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertSlim } from '../../../store/ontology/slims.repository.js';
import { problemIn, startTestApp, type TestApp, testSettings } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
/** The runs have ten, five and no proteins. */
let runs: string[];

/**
 * The first run has A to J, of which A to D have GO:0005515, which is below GO:0003674 by way of GO:0005488, and E has
 * GO:0003674. In the second run K alone has GO:0005515, with a low probability; L has a contradicted one, and M
 * is a protein of the reference, of which the reference knows terms.
 */
beforeAll(async () => {
  test = await startTestApp({ rateLimits: { ...testSettings.rateLimits, jobs: '1000/minute' } });
  data = await fillCatalogue(test.db);
  const { db } = test;
  const [row] = await db.selectFrom('go_prediction').selectAll().where('is_nearest', '=', true).execute();
  const [query] = await db.selectFrom('prediction_set_protein').selectAll().execute();
  const set = await db.selectFrom('prediction_set').selectAll().executeTakeFirstOrThrow();
  await db.deleteFrom('go_prediction').execute();
  await db.deleteFrom('prediction_set_protein').execute();
  const terms = await db.selectFrom('go_term').select(['id', 'go_id']).execute();
  const idOf = (goId: string) => terms.find((term) => term.go_id === goId)?.id as number;
  const { annotation_set_id, ontology_snapshot_id, embedding_config_id, limit_per_entry, metric } = set;
  const values = { annotation_set_id, ontology_snapshot_id, embedding_config_id, limit_per_entry, metric };
  const added = await db
    .insertInto('prediction_set')
    .values(
      [10, 5, 0].map((protein_count) => ({
        ...values,
        status: 'complete' as const,
        method: 'combined',
        protein_count,
      })),
    )
    .returning(['id', 'number'])
    .execute();
  runs = added.map(({ id }) => id);
  const numbers = added.map(({ number }) => number);
  const { number: setNumber } = await db
    .selectFrom('annotation_set')
    .select('number')
    .where('id', '=', set.annotation_set_id as string)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('prediction_set_protein')
    .values([
      ...[...'ABCDEFGHIJ'].map((name) => ({
        ...query,
        prediction_set_number: numbers[0],
        protein_accession: name,
      })),
      ...[...'KLMNO'].map((name) => ({
        ...query,
        prediction_set_number: numbers[1],
        protein_accession: name,
        ...(name === 'M' && {
          known_accession: 'P00001',
          known_by: 'sequence' as const,
          annotation_set_number: setNumber,
        }),
      })),
    ])
    .execute();
  const predicted = (run: number, name: string, goId: string, more: object = {}) => ({
    ...row,
    prediction_set_number: numbers[run],
    protein_accession: name,
    go_term_id: idOf(goId),
    answer_rank: 1,
    probability: 0.9,
    ...more,
  });
  await db
    .insertInto('go_prediction')
    .values([
      ...[...'ABCD'].map((name) => predicted(0, name, 'GO:0005515')),
      predicted(0, 'E', 'GO:0003674'),
      predicted(0, 'F', 'GO:0005515', { probability: 0.01 }),
      predicted(1, 'K', 'GO:0005515', { probability: 0.3 }),
      predicted(1, 'L', 'GO:0005515', { contradiction: 'NOT' }),
    ])
    .execute();
  const slim = { name: 'goslim_test', version: 'v1', obo_url: 'file:///slim.obo' };
  const binding = { go_id: 'GO:0005488', name: 'binding', aspect: 'F' as const };
  await insertSlim(db, { ...slim, terms: [binding] }, data.setId);
});
afterAll(() => test?.close());

const ask = (payload: object) =>
  test.call({ method: 'POST', url: '/v1/embeddings/prediction-sets/matrix', payload });
async function found(payload: object = {}) {
  const { status, body } = await ask({ prediction_set_ids: runs.slice(0, 2), ...payload });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
interface Row {
  go_id: string;
  counts: number[];
}
const countsOf = (body: { rows: Row[] }) =>
  Object.fromEntries(body.rows.map(({ go_id, counts }) => [go_id, counts]));

describe('several runs as one matrix', () => {
  it('counts answers and what is known, with the terms above, and tests the shares', async () => {
    const body = await found();
    const known = await test.db
      .selectFrom('protein_go_annotation')
      .innerJoin('protein', 'protein.id', 'protein_go_annotation.protein_id')
      .innerJoin('go_term', 'go_term.id', 'protein_go_annotation.go_term_id')
      .select(['go_term.go_id', 'protein_go_annotation.qualifier'])
      .where('protein.accession', '=', 'P00001')
      .execute();
    // M counts for what the reference knows of P00001.
    const knows = (goId: string) =>
      Number(known.some((row) => row.go_id === goId && !(row.qualifier ?? '').includes('NOT')));
    const ofM = knows('GO:0005515');
    expect(countsOf(body)).toMatchObject({
      'GO:0003674': [5, 1 + Math.max(ofM, knows('GO:0003674'), knows('GO:0005488'))],
      'GO:0005515': [4, 1 + ofM],
    });
    expect(ofM + knows('GO:0008150')).toBeGreaterThan(0);
    expect(body.proteomes).toMatchObject([
      { prediction_set_id: runs[0], proteins: 10, annotated: 5, terms_left_out: 0 },
      { prediction_set_id: runs[1], proteins: 5, annotated: 2 },
    ]);
    const row = body.rows.find(({ go_id }: Row) => go_id === 'GO:0005515');
    expect(row).toMatchObject({ go_name: 'protein binding', aspect: 'F', test: 'fisher' });
    expect(row.shares).toEqual([0.4, (1 + ofM) / 5]);
    expect(row.p_value).toBeCloseTo(ofM === 1 ? 1 : 0.6004, 3);
  });

  it('takes every parameter', async () => {
    expect(Object.keys(countsOf(await found({ slim: 'goslim_test' })))).toEqual(['GO:0005488']);
    expect((await found({ slim: 'goslim_test' })).slim).toEqual({ name: 'goslim_test', version: 'v1' });
    const likely = await found({ min_probability: 0.5 });
    const all = await found();
    expect(countsOf(likely)['GO:0005515'][1]).toBe(countsOf(all)['GO:0005515'][1] - 1);
    expect(countsOf(likely)['GO:0005515'][0]).toBe(4);
    expect(Object.keys(countsOf(await found({ aspect: 'F', min_proteins: 6 })))).not.toContain('GO:0008150');
    const few = await found({ min_proteins: 100 });
    expect(few).toMatchObject({ rows: [], tested: 0, row_count: 0 });
    const one = await found({ limit: 1 });
    expect(one.rows).toHaveLength(1);
    expect(one.row_count).toBe(all.rows.length);
  });

  it('keeps the order of the runs, and takes an empty one', async () => {
    const turned = await found({ prediction_set_ids: [runs[2], runs[1], runs[0]] });
    const plain = countsOf(await found());
    for (const [goId, counts] of Object.entries(countsOf(turned)))
      expect(counts).toEqual([0, ...plain[goId].toReversed()]);
    expect(turned.proteomes[0]).toMatchObject({ proteins: 0, annotated: 0 });
  });

  it('refuses one run, a run twice, an unknown one, an unknown slim, and a set that is being filled', async () => {
    const refused = async (payload: object) => problemIn(await ask(payload));
    expect((await refused({ prediction_set_ids: [runs[0]] })).errors?.[0].path).toBe('/prediction_set_ids');
    expect((await refused({ prediction_set_ids: [runs[0], runs[0]] })).errors?.[0].path).toBe(
      '/prediction_set_ids/1',
    );
    expect((await ask({ prediction_set_ids: [runs[0], randomUUID()] })).status).toBe(404);
    expect((await refused({ prediction_set_ids: runs, slim: 'none' })).errors?.[0].path).toBe('/slim');
    await test.db
      .updateTable('prediction_set')
      .set({ status: 'filling' })
      .where('id', '=', runs[2])
      .execute();
    expect((await ask({ prediction_set_ids: runs })).status).toBe(409);
  });
});
