import { readGaf } from '@kindred/kernels/formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertSlim } from '../../../store/ontology/slims.repository.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';

const jobId = '00000000-0000-4000-8000-000000000001';
const term = (go_id: string, name: string, aspect: 'F' | 'P' | 'C') => ({ go_id, name, aspect });
const binding = term('GO:0005488', 'binding', 'F');
const root = term('GO:0003674', 'molecular_function', 'F');
const component = term('GO:0005575', 'cellular_component', 'C');
const process = term('GO:0008150', 'biological_process', 'P');

let test: TestApp;
let data: TestData;
let operator: TestAccount;
let slimId: string;
/**
 * Q1 has GO:0005515 below GO:0005488 below GO:0003674. GO:0005488 itself is less probable and has a higher
 * score. Q2 has GO:0005515. The slim has GO:0005488, two roots, and a term that the ontology lacks.
 */
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  operator = await test.account('operator');
  const { db } = test;
  const [first] = await db.selectFrom('go_prediction').selectAll().where('is_nearest', '=', true).execute();
  await db.deleteFrom('go_prediction').execute();
  const terms = await db.selectFrom('go_term').select(['id', 'go_id']).execute();
  const row = (goId: string, values: object) => ({
    ...first,
    go_term_id: terms.find((one) => one.go_id === goId)?.id as number,
    ...values,
  });
  await db
    .insertInto('go_prediction')
    .values([
      row('GO:0005515', { term_rank: 2, answer_rank: 1, score: 0.6, probability: 0.8, source_id: 'P00001' }),
      row('GO:0005488', { term_rank: 1, answer_rank: 2, score: 0.7, probability: 0.3, source_id: 'P00002' }),
      row('GO:0005575', { term_rank: 3, answer_rank: 3, score: 0.5, probability: 0.2 }),
      row('GO:0005515', {
        term_rank: 1,
        answer_rank: 1,
        score: 0.4,
        probability: 0.4,
        protein_accession: 'Q2',
      }),
    ])
    .execute();
  await db.updateTable('prediction_set').set({ status: 'complete', method: 'combined' }).execute();
  const slim = { name: 'goslim_test', version: 'v1', obo_url: 'file:///srv/import/slim.obo' };
  await insertSlim(db, { ...slim, version: 'v0', terms: [process] }, jobId);
  const lacking = term('GO:9999999', 'not in this ontology', 'F');
  slimId = (await insertSlim(db, { ...slim, terms: [binding, root, process, lacking] }, jobId))?.id as string;
});
afterAll(() => test?.close());

const set = () => `/v1/embeddings/prediction-sets/${data.predictionSetId}`;
async function download(query: string): Promise<string> {
  const reply = await test.app.inject({ url: `${set()}/export?${query}` });
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.body;
}
/** Reads the predicted terms of the table. */
async function rows(query: string): Promise<Record<string, string>[]> {
  const [header, ...lines] = (await download(`format=tsv&${query}`)).trimEnd().split('\n');
  const names = header.split('\t');
  return lines
    .map((line) => Object.fromEntries(line.split('\t').map((cell, at) => [names[at], cell])))
    .filter(({ kind }) => kind === 'predicted');
}

describe('an export in terms of a slim', () => {
  it('has the most specific terms of the slim, each once with the values of the best term below it', async () => {
    const cells = (await rows('slim=goslim_test')).map((row) =>
      ['protein', 'go_id', 'go_name', 'aspect', 'score', 'probability', 'source_id'].map((name) => row[name]),
    );
    expect(cells).toEqual([
      ['Q1', 'GO:0005488', 'binding', 'F', '0.6', '0.8', 'P00001'],
      ['Q2', 'GO:0005488', 'binding', 'F', '0.4', '0.4', 'P00001'],
    ]);
  });

  it('has all terms of the slim where asked to, and takes its id', async () => {
    const found = await rows(`slim=${slimId}&slim_terms=all`);
    expect(found.map((row) => `${row.protein} ${row.go_id}`).sort()).toEqual([
      'Q1 GO:0003674',
      'Q1 GO:0005488',
      'Q2 GO:0003674',
      'Q2 GO:0005488',
    ]);
  });

  it('filters before it maps, and counts what the filter left out', async () => {
    expect(await rows('slim=goslim_test&min_probability=0.9')).toEqual([]);
    expect((await rows('slim=goslim_test&min_score=0.65')).map((row) => row.score)).toEqual(['0.7']);
    const [q1] = (await download('format=jsonl&slim=goslim_test&aspect=F')).split('\n');
    expect(JSON.parse(q1)).toMatchObject({ terms: [{ go_id: 'GO:0005488' }], left_out: { terms: 0 } });
  });

  it('gives a submission the highest score', async () => {
    const lines = (await download('format=cafa&slim=goslim_test')).trimEnd().split('\n');
    expect(lines).toEqual(['Q1\tGO:0005488\t0.7', 'Q2\tGO:0005488\t0.4']);
  });

  it('names the slim in the head of GAF, and reads back', async () => {
    const gaf = await download('format=gaf&slim=goslim_test');
    expect(gaf).toContain('!slim: goslim_test v1, 3 of 4 terms in this ontology\n');
    expect(await download('format=gaf')).not.toContain('!slim');
    const pairs: string[] = [];
    for await (const { records } of readGaf([new TextEncoder().encode(gaf)]))
      pairs.push(...records.map(({ accession, goId }) => `${accession} ${goId}`));
    expect(pairs).toEqual(['Q1 GO:0005488', 'Q2 GO:0005488']);
  });

  it('refuses a slim that is not loaded, and slim_terms alone', async () => {
    const refused = async (query: string) =>
      problemIn(await test.call({ url: `${set()}/export?format=tsv&${query}` })).errors?.[0];
    expect(await refused('slim=goslim_other')).toEqual({
      path: '/slim',
      message: 'no GO slim goslim_other (loaded: goslim_test)',
      code: 'invalid',
    });
    expect(await refused(`slim=${jobId}`)).toMatchObject({ path: '/slim' });
    expect(await refused('slim_terms=all')).toMatchObject({ path: '/slim_terms' });
    expect(await refused('slim=goslim_test&slim_terms=some')).toMatchObject({ path: '/slim_terms' });
  });
});

it('an overview has terms of a slim, each once for a protein', async () => {
  const overview = async (query: string) => {
    const { proteins, terms } = (await test.call({ url: `${set()}/overview${query}` })).body;
    const of = proteins.map((one: { terms: { go_id: string; probability: number }[] }) =>
      one.terms.map(({ go_id, probability }) => [go_id, probability]),
    );
    return { of, names: Object.keys(terms).sort() };
  };
  expect(await overview('?slim=goslim_test')).toEqual({
    of: [[['GO:0005488', 0.8]], [['GO:0005488', 0.4]]],
    names: ['GO:0005488'],
  });
  expect((await overview('?slim=goslim_test&slim_terms=all')).names).toEqual(['GO:0003674', 'GO:0005488']);
  expect((await overview('')).of[0]).toHaveLength(3);
});

it('an overview says how certain a protein is by its own terms, whatever the slim has', async () => {
  const certainty = async (query: string) =>
    (await test.call({ url: `${set()}/overview${query}` })).body.proteins.map(
      (one: { term_count: number; certainty: string; terms: object[] }) => [
        one.term_count,
        one.certainty,
        one.terms.length,
      ],
    );
  expect(await certainty('')).toEqual([
    [3, 'strong', 3],
    [1, 'possible', 1],
  ]);
  // The slim has another aspect than the most certain terms.
  const { id } = (await insertSlim(
    test.db,
    { name: 'goslim_other', version: 'v1', obo_url: 'file:///srv/import/slim.obo', terms: [component] },
    jobId,
  )) as { id: string };
  expect(await certainty('?slim=goslim_other')).toEqual([
    [3, 'strong', 1],
    [1, 'possible', 0],
  ]);
  await test.db.deleteFrom('go_slim').where('id', '=', id).execute();
});

it('the distribution of terms counts the queries with a term of the slim', async () => {
  const terms = async (query: string) => (await test.call({ url: `${set()}/go-terms?${query}` })).body;
  expect(await terms('slim=goslim_test')).toEqual({
    by_aspect: { P: [], F: [{ go_id: 'GO:0005488', name: 'binding', count: 2 }], C: [] },
    aspect_totals: { P: 0, F: 2, C: 0 },
    top_terms: [{ go_id: 'GO:0005488', name: 'binding', aspect: 'F', count: 2 }],
  });
  const all = await terms('slim=goslim_test&slim_terms=all');
  expect(all.by_aspect.F.map((one: { go_id: string }) => one.go_id)).toEqual(['GO:0003674', 'GO:0005488']);
  expect(all.aspect_totals).toEqual({ P: 0, F: 4, C: 0 });
  expect((await terms('slim=goslim_test&slim_terms=all&limit=1')).by_aspect.F).toHaveLength(1);
});

it('lists slims, shows one with its terms, and hides folders from those below operator', async () => {
  const listed = (await test.call({ url: '/v1/annotations/slims' })).body;
  expect(listed.map((one: { version: string }) => one.version)).toEqual(['v1', 'v0']);
  expect(listed[0]).toMatchObject({ id: slimId, name: 'goslim_test', term_count: 4, obo_url: 'slim.obo' });
  const first = await test.call({ url: '/v1/annotations/slims?limit=1' });
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
  expect((await test.call({ url: next })).body).toMatchObject([{ version: 'v0' }]);
  const { body } = await test.call({ url: `/v1/annotations/slims/${slimId}` });
  expect(body).toMatchObject({ ...listed[0], terms: [binding, root, process, { go_id: 'GO:9999999' }] });
  expect((await test.call({ url: `/v1/annotations/slims/${jobId}` })).status).toBe(404);
});

it('queues a load, and deletes a slim', async () => {
  const { headers } = operator;
  const load = (payload: object) =>
    test.call({ method: 'POST', url: '/v1/annotations/slims/load', payload, headers });
  const payload = { obo_url: 'https://example.org/go.obo', subset: 'goslim_yeast' };
  const queued = await load(payload);
  expect(queued.status).toBe(202);
  const job = (await test.call({ url: String(queued.headers.location) })).body;
  expect(job).toMatchObject({ operation: 'load_go_slim', payload });
  expect(problemIn(await load({ ...payload, subset: 'a b' })).errors?.[0].path).toBe('/subset');
  const [, oldest] = (await test.call({ url: '/v1/annotations/slims' })).body;
  const remove = () => test.call({ method: 'DELETE', url: `/v1/annotations/slims/${oldest.id}`, headers });
  expect((await remove()).body).toEqual({ deleted: oldest.id });
  expect((await remove()).status).toBe(404);
});
