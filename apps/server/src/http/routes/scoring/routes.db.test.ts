import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertTruth } from '../../../testing/evaluation-truth.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';
import { scoreColumns, trainingColumns } from './tables.js';

let test: TestApp;
let data: TestData;
let operator: TestAccount;
let evaluationSetId: string;

beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  operator = await test.account('operator');
  evaluationSetId = await insertHoldout();
});
afterAll(() => test?.close());

const post = (url: string, payload?: object) =>
  test.call({ method: 'POST', url, headers: operator.headers, payload });
const create = (payload: object) => post('/v1/scoring/configs', payload);
const made = async (payload: object): Promise<string> => {
  const { status, body } = await create(payload);
  expect(status).toBe(201);
  return body.id;
};
const setUrl = (file: string, query: Record<string, string>) =>
  `/v1/scoring/prediction-sets/${data.predictionSetId}/${file}?${new URLSearchParams(query)}`;
const rowsOf = (body: string) =>
  body
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));

async function setFlags(flags: Record<string, boolean>): Promise<void> {
  await test.db
    .updateTable('prediction_set')
    .set({ parameters: JSON.stringify(flags) })
    .where('id', '=', data.predictionSetId)
    .execute();
}

/**
 * Q1 gained protein binding (NK), and had binding before, which is above it. Q2, without a prediction, gained
 * it too.
 */
const insertHoldout = () =>
  insertTruth(test.db, data, [
    { category: 'NK', accession: 'Q1', goId: 'GO:0005515' },
    { category: 'NK', accession: 'Q2', goId: 'GO:0005515' },
    { category: 'PK', accession: 'Q1', goId: 'GO:0008150' },
    { category: 'known', accession: 'Q1', goId: 'GO:0005488' },
  ]);

it('nothing is scored of an incomplete prediction set', async () => {
  const config = await made({ name: 'for an incomplete set' });
  const give = (status: 'complete' | 'incomplete', query_count: number | null) =>
    test.db
      .updateTable('prediction_set')
      .set({ status, query_count })
      .where('id', '=', data.predictionSetId)
      .execute();
  await give('incomplete', 8464);
  const holdout = { evaluation_set_id: evaluationSetId, category: 'nk' };
  const answers = [
    await test.call({ url: setUrl('score.tsv', { scoring_config_id: config }) }),
    await test.call({ url: setUrl('metrics', { scoring_config_id: config, ...holdout }) }),
    await test.call({ url: setUrl('training-data.tsv', holdout) }),
    await test.call({ url: setUrl('rerank.tsv', { reranker_id: randomUUID() }) }),
  ];
  await give('complete', null);
  for (const answer of answers)
    expect(problemIn(answer)).toMatchObject({
      status: 409,
      code: 'conflict',
      detail: expect.stringMatching(/incomplete \(\d+ of 8,464 proteins\)/),
    });
});

describe('scoring configurations', () => {
  it('are made once, listed newest first, read and deleted', async () => {
    const body = {
      name: ' mine ',
      formula: 'evidence_weighted',
      weights: { embedding_similarity: 1, evidence_weight: 0.5 },
      evidence_weights: { IEA: 0.8 },
      params: { ia_prior: { enabled: true } },
      description: 'for a test',
    };
    const answer = await create(body);
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/v1/scoring/configs/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      name: 'mine',
      weights: { embedding_similarity: 1, evidence_weight: 0.5, identity_nw: 0 },
      evidence_weights: { IEA: 0.8 },
      params: { ia_prior: { enabled: true, gamma: 1, source: 'frequency' } },
    });
    expect((await test.call({ url: `/v1/scoring/configs/${answer.body.id}` })).body).toEqual(answer.body);
    expect(problemIn(await create({ name: 'mine' }))).toMatchObject({ status: 409, code: 'already_exists' });
    const plain = await create({ name: 'plain' });
    expect(plain.body).toMatchObject({
      formula: 'linear',
      weights: { embedding_similarity: 1, coverage: 0 },
    });
    const first = await test.call({ url: '/v1/scoring/configs?limit=1' });
    expect(first.body).toEqual([plain.body]);
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
    expect((await test.call({ url: next })).body).toEqual([answer.body]);
    const remove = () =>
      test.call({ method: 'DELETE', url: `/v1/scoring/configs/${plain.body.id}`, headers: operator.headers });
    expect((await remove()).status).toBe(204);
    expect(problemIn(await remove()).status).toBe(404);
  });

  it.each([
    ['an unknown key', { name: 'x', weight: {} }, '/weight'],
    ['an unknown signal', { name: 'x', weights: { embedding: 1 } }, '/weights/embedding'],
    ['a negative weight', { name: 'x', weights: { coverage: -1 } }, '/weights/coverage'],
    ['a weight too small to count', { name: 'x', weights: { coverage: 1e-12 } }, '/weights/coverage'],
    ['weights that are all 0', { name: 'x', weights: { coverage: 0 } }, '/weights'],
    ['an unknown formula', { name: 'x', formula: 'product' }, '/formula'],
    ['an unknown evidence code', { name: 'x', evidence_weights: { XYZ: 1 } }, '/evidence_weights/XYZ'],
    ['a weight of evidence above 1', { name: 'x', evidence_weights: { IEA: 1.1 } }, '/evidence_weights/IEA'],
    [
      'a prior that is not known',
      { name: 'x', params: { ia_prior: { enabled: true, source: 'ia' } } },
      '/params/ia_prior/source',
    ],
    ['an unknown parameter', { name: 'x', params: { calibration: {} } }, '/params/calibration'],
    ['no name', {}, '/name'],
    ['a blank name', { name: '  ' }, '/name'],
  ])('refuse %s', async (_name, payload, path) => {
    const problem = problemIn(await create(payload));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map((fault) => fault.path)).toContain(path);
  });

  it('come as presets, those that are there left alone', async () => {
    await create({ name: 'vote_fraction', description: 'taken' });
    const { status, body } = await post('/v1/scoring/configs/presets');
    expect(status).toBe(201);
    expect(body.created).toContain('composite');
    expect(body.created).not.toContain('vote_fraction');
    expect(await post('/v1/scoring/configs/presets')).toMatchObject({ status: 200, body: { created: [] } });
  });
});

describe('score.tsv', () => {
  it('has one row per (protein, term), its nearest source, by falling score', async () => {
    const id = await made({ name: 'half', weights: { embedding_similarity: 1, evidence_weight: 1 } });
    const answer = await test.call({ url: setUrl('score.tsv', { scoring_config_id: id }) });
    expect(answer.headers['content-disposition']).toContain(`scored_${data.predictionSetId}_${id}.tsv`);
    const [head, ...rows] = rowsOf(answer.body);
    expect(head).toEqual([...scoreColumns]);
    expect(rows.map((row) => row.slice(-2))).toEqual([
      ['F', 'protein binding'],
      ['P', 'biological_process'],
    ]);
    expect(rows.map((row) => row.slice(0, 7))).toEqual([
      ['Q1', 'GO:0005515', '0.969136', '0.123457', 'P00001', 'IDA', 'enables'],
      ['Q1', 'GO:0008150', '0.5', '2', 'P00002', 'IDA', 'enables'],
    ]);
    const asked = async (more: Record<string, string>) =>
      rowsOf((await test.call({ url: setUrl('score.tsv', { scoring_config_id: id, ...more }) })).body)
        .length - 1;
    expect(await asked({ min_score: '0.6' })).toBe(1);
    for (const aspect of ['P', 'p', 'BPO']) expect([aspect, await asked({ aspect })]).toEqual([aspect, 1]);
    expect(await asked({ accession: 'Q2' })).toBe(0);
    for (const more of ['min_score=2', 'limit=1', 'aspect=X'])
      expect(
        problemIn(await test.call({ url: `${setUrl('score.tsv', { scoring_config_id: id })}&${more}` }))
          .status,
      ).toBe(422);
  });

  it('refuses a recipe whose signals the set lacks, naming the flags', async () => {
    const id = await made({
      name: 'lacking',
      weights: { identity_nw: 1, coverage: 1, taxonomic_proximity: 1, embedding_similarity: 1 },
    });
    const url = setUrl('score.tsv', { scoring_config_id: id });
    const refused = await test.call({ url });
    expect(problemIn(refused)).toMatchObject({ status: 409, code: 'conflict' });
    expect(refused.body.detail).toContain('compute_alignments: true, compute_taxonomy: true');
    await setFlags({ compute_alignments: true });
    expect((await test.call({ url })).body.detail).toContain('with compute_taxonomy: true,');
    await setFlags({ compute_alignments: true, compute_taxonomy: true });
    const { status, body } = await test.call({ url });
    expect(status).toBe(200);
    // Signals that the rows lack are left out, so the similarity alone remains.
    expect(rowsOf(body)[1][2]).toBe('0.938272');
    await setFlags({});
  });

  it('is 404 for a set that is not there, and 422 for such a recipe', async () => {
    const id = await made({ name: 'there' });
    const gone = setUrl('score.tsv', { scoring_config_id: randomUUID() });
    expect(problemIn(await test.call({ url: gone })).errors).toMatchObject([
      { path: '/scoring_config_id', code: 'not_found' },
    ]);
    const other = setUrl('score.tsv', { scoring_config_id: id }).replace(data.predictionSetId, randomUUID());
    expect(problemIn(await test.call({ url: other })).status).toBe(404);
  });
});

describe('preview of a recipe', () => {
  const preview = (payload: object, id: string = data.predictionSetId) =>
    test.call({ method: 'POST', url: `/v1/scoring/prediction-sets/${id}/preview`, payload });
  const setIdentity = (goId: string, identity: number | null) =>
    sql`update go_prediction set identity_nw = ${identity}
        from go_term where go_term.id = go_term_id and go_id = ${goId}`.execute(test.db);

  it('shows where the terms of the first proteins were and where they come', async () => {
    await setFlags({ compute_alignments: true });
    await setIdentity('GO:0005515', 0.25);
    await setIdentity('GO:0008150', 0.75);
    const recipe = { weights: { identity_nw: 1 } };
    const { status, body } = await preview(recipe);
    expect(status).toBe(200);
    expect(body).toMatchObject({ prediction_set_id: data.predictionSetId, query_count: 2 });
    expect(body.proteins.map((one: Record<string, unknown>) => [one.accession, one.term_count])).toEqual([
      ['Q1', 2],
      ['Q2', 0],
    ]);
    expect(body.proteins[0].terms).toEqual([
      {
        ...{ go_id: 'GO:0008150', go_name: 'biological_process', aspect: 'P' },
        ...{ score_before: 0, place_before: 2, score_after: 0.75, place_after: 1 },
      },
      {
        ...{ go_id: 'GO:0005515', go_name: 'protein binding', aspect: 'F' },
        ...{ score_before: 0.93827, place_before: 1, score_after: 0.25, place_after: 2 },
      },
    ]);
    // Each side shows one term: the best before and the best after. The preview without a recipe has one
    // side.
    const small = (await preview({ ...recipe, proteins: 1, terms: 1 })).body.proteins;
    expect([small.length, small[0].terms.length]).toEqual([1, 2]);
    expect((await preview({ terms: 1 })).body.proteins[0].terms).toHaveLength(1);

    // A stored configuration gives a table with the same scores.
    const id = await made({ name: 'previewed', ...recipe });
    const table = rowsOf((await test.call({ url: setUrl('score.tsv', { scoring_config_id: id }) })).body);
    expect(table.slice(1).map((row) => [row[1], Number(row[2])])).toEqual(
      body.proteins[0].terms.map((one: Record<string, unknown>) => [one.go_id, one.score_after]),
    );
    await setIdentity('GO:0005515', null);
    await setIdentity('GO:0008150', null);
    await setFlags({});
  });

  it('refuses signals that the set lacks, and more than a request computes', async () => {
    const { body: refused } = await preview({ weights: { identity_nw: 1 } });
    expect(refused).toMatchObject({ status: 409, code: 'conflict' });
    expect(refused.detail).toContain('lacks signals that the recipe weighs. Predict again with compute_al');
    expect(problemIn(await preview({ proteins: 26 })).errors).toMatchObject([{ path: '/proteins' }]);
    expect(problemIn(await preview({ weights: { coverage: 0 } })).errors).toMatchObject([
      { path: '/weights' },
    ]);
    expect(problemIn(await preview({}, randomUUID())).status).toBe(404);
  });

  it('stores nothing', async () => {
    const names = async () => (await test.call({ url: '/v1/scoring/configs?limit=500' })).body.length;
    const before = await names();
    expect((await preview({})).status).toBe(200);
    expect(await names()).toBe(before);
  });
});

describe('metrics of composite scores', () => {
  it('compare them with the truth of a category, per aspect', async () => {
    const id = await made({ name: 'measured' });
    const url = setUrl('metrics', { scoring_config_id: id, evaluation_set_id: evaluationSetId });
    const { status, body } = await test.call({ url });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      prediction_set_id: data.predictionSetId,
      scoring_config_id: id,
      scoring_config_name: 'measured',
      evaluation_set_id: evaluationSetId,
      category: 'NK',
      n_ground_truth_proteins: 2,
      n_predicted_proteins: 1,
      n_predictions: 1,
    });
    // Each of two proteins has two true terms (the root is left out). Both are predicted for one protein:
    // precision 1, recall 1/2.
    expect(body.aspects.MFO).toMatchObject({
      precision: 1,
      recall: 0.5,
      coverage: 0.5,
      n_proteins: 2,
      auc_pr: 0.5,
    });
    expect(body.aspects.MFO.fmax).toBeCloseTo(2 / 3, 12);
    // The set has one prediction, and that is right.
    const { predictions, bins, ece } = body.aspects.MFO.reliability;
    const filled = bins.filter((bin: { predictions: number }) => bin.predictions > 0);
    expect([predictions, filled.length, filled[0].share_right]).toEqual([1, 1, 1]);
    expect(ece).toBeCloseTo(1 - filled[0].mean_score, 12);
    expect(body.aspects.CCO).toBeUndefined();
    expect((await test.call({ url: `${url}&category=lk` })).body.aspects).toEqual({});
    expect(problemIn(await test.call({ url: url.replace(evaluationSetId, randomUUID()) })).status).toBe(422);
  });
});

describe('training-data.tsv', () => {
  const table = async (more: Record<string, string> = {}) => {
    const answer = await test.call({
      url: setUrl('training-data.tsv', { evaluation_set_id: evaluationSetId, ...more }),
    });
    expect(answer.status).toBe(200);
    return rowsOf(answer.body);
  };

  it('has 31 columns and labels by the truth of the category, in its aspects alone', async () => {
    const [head, ...rows] = await table();
    expect(head).toEqual([...trainingColumns]);
    expect(head).toHaveLength(31);
    expect(head.slice(0, 8)).toEqual([
      'protein_accession',
      'go_id',
      'aspect',
      'label',
      'distance',
      'ref_protein_accession',
      'qualifier',
      'evidence_code',
    ]);
    expect(head.slice(8).at(-1)).toBe('neighbor_distance_std');
    expect(rows.map((row) => row.slice(0, 6))).toEqual([
      ['Q1', 'GO:0005515', 'F', '1', '0.123457', 'P00001'],
    ]);
    expect(rows[0]).toHaveLength(31);
    expect((await table({ category: 'pk' })).slice(1).map((row) => row.slice(1, 4))).toEqual([
      ['GO:0008150', 'P', '1'],
    ]);
    expect(await table({ category: 'lk' })).toHaveLength(1);
  });

  it('labels what was not gained 0, and leaves out what was known before and the roots', async () => {
    const { number } = await test.db
      .selectFrom('prediction_set')
      .select('number')
      .where('id', '=', data.predictionSetId)
      .executeTakeFirstOrThrow();
    const terms = await test.db.selectFrom('go_term').select(['id', 'go_id']).execute();
    const predicted = ['GO:0005488', 'GO:0003674'].map((goId, at) => ({
      prediction_set_number: number,
      protein_accession: 'Q1',
      go_term_id: terms.find(({ go_id }) => go_id === goId)?.id as number,
      source_kind: 'protein' as const,
      source_id: 'P00002',
      distance: 1,
      score: 0.5,
      is_nearest: true,
      term_rank: 3 + at,
    }));
    await test.db.insertInto('go_prediction').values(predicted).execute();
    expect((await table()).slice(1).map((row) => row.slice(1, 4))).toEqual([['GO:0005515', 'F', '1']]);
    await test.db.deleteFrom('evaluation_truth').where('category', '=', 'known').execute();
    expect((await table()).slice(1).map((row) => row.slice(1, 4))).toEqual([
      ['GO:0005488', 'F', '0'],
      ['GO:0005515', 'F', '1'],
    ]);
  });
});
