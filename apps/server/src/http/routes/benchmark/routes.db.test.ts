import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultBenchmarkSettings } from '../../benchmark/settings.js';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let setIds: string[];
let baselineSet: string;
beforeAll(async () => {
  test = await startTestApp({
    benchmark: { ...defaultBenchmarkSettings, stageLabels: { reranker: 'Our model' }, cacheSeconds: 1000 },
  });
  data = await fillCatalogue(test.db);
  const laterSets = await test.db
    .insertInto('annotation_set')
    .values(
      ['later', 'latest'].map((source_version) => ({
        source: 'goa',
        source_version,
        ontology_snapshot_id: data.snapshotId,
        state: 'complete',
      })),
    )
    .returning('id')
    .execute();
  const made = await test.db
    .insertInto('evaluation_set')
    .values(
      laterSets.map(({ id }) => ({
        old_annotation_set_id: data.setId,
        new_annotation_set_id: id,
        ontology_snapshot_id: data.snapshotId,
        rules: '{}',
        stats: JSON.stringify({ delta_proteins: 2 }),
      })),
    )
    .returning('id')
    .execute();
  setIds = made.map(({ id }) => id);
  const baseline = await test.db
    .insertInto('prediction_set')
    .values({
      method: 'sequence_similarity',
      visibility: 'listed',
      embedding_config_id: null,
      annotation_set_id: data.setId,
      ontology_snapshot_id: data.snapshotId,
      limit_per_entry: 50,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  baselineSet = baseline.id;
});
afterAll(() => test?.close());

/** Stores a result with Fmax of NK BPO and NK MFO; PK CCO has no figure. */
async function land(
  fmax: [number, number],
  more: { set?: number; prediction?: string; options?: object } = {},
) {
  const figures = (value: number) => ({
    fmax: value,
    precision: 0.5,
    recall: 0.25,
    tau: 0.1,
    coverage: 1,
    n_proteins: 7,
  });
  const id = randomUUID();
  await test.db
    .insertInto('evaluation_result')
    .values({
      id,
      evaluation_set_id: setIds[more.set ?? 0],
      prediction_set_id: more.prediction ?? data.predictionSetId,
      options: JSON.stringify({
        prop: 'fill',
        norm: 'cafa',
        no_orphans: true,
        th_step: 0.01,
        ...more.options,
      }),
      options_sha256: id.replaceAll('-', '').repeat(2),
      frame: '{}',
      results: JSON.stringify({
        NK: { BPO: figures(fmax[0]), MFO: figures(fmax[1]) },
        PK: { CCO: { fmax: null } },
      }),
    })
    .execute();
  return id;
}

const matrix = async (query = '') => (await test.call({ url: `/v1/benchmark/matrix${query}` })).body;
const showcase = async () => (await test.call({ url: '/v1/showcase' })).body;

describe('before any result', () => {
  it('shows empty tables with their axes, and the counts', async () => {
    expect(await matrix()).toMatchObject({
      rows: [],
      total: 0,
      stages: [],
      categories: ['NK', 'LK', 'PK'],
      aspects: ['BPO', 'MFO', 'CCO'],
      best_per_cell: {},
    });
    expect(await showcase()).toMatchObject({
      protein_stats: { total: 2, canonical: 2 },
      counts: { proteins: 2, sequences: 2, embeddings: 1, prediction_sets: 2, evaluations: 0 },
      best_fmax: {},
      method_comparison: {},
      evaluation_set_id: null,
      sample: null,
    });
    const { body } = await test.call({ url: '/benchmark/embeddings' });
    expect(body.total).toBe(1);
    expect(body.embeddings[0]).toMatchObject({ id: data.configId, pooling: 'mean' });
  });
});

describe('with results', () => {
  it('lays them out by embedding and stage: recipe, re-ranker or method, the newest of each', async () => {
    await land([0.9, 0.9]);
    const plain = await land([0.3, 0.4]);
    const recipe = await land([0.35, 0.2], { options: { scoring_config: { name: 'composite' } } });
    const reranked = await land([0.5, 0.1], {
      options: { scoring_config: { name: 'composite' }, reranker: { nk: 'x' } },
    });
    const baseline = await land([0.2, 0.45], { prediction: baselineSet });
    const body = await matrix();
    expect(body.total).toBe(8);
    expect(body.stages).toEqual([
      { name: 'sequence_similarity', label: 'Sequence similarity', kind: 'method', is_baseline: true },
      { name: 'composite', label: 'Composite', kind: 'scoring_config', is_baseline: false },
      { name: 'nearest_neighbours', label: 'Nearest neighbours', kind: 'method', is_baseline: false },
      { name: 'reranker', label: 'Our model', kind: 'reranker', is_baseline: false },
    ]);
    const ofStage = (stage: string) =>
      body.rows.filter((row: { stage: string }) => row.stage === stage).map(idAndFmax);
    expect(ofStage('nearest_neighbours')).toEqual([
      [plain, 0.3],
      [plain, 0.4],
    ]);
    expect(ofStage('composite')).toEqual([
      [recipe, 0.35],
      [recipe, 0.2],
    ]);
    expect(ofStage('reranker')[0]).toEqual([reranked, 0.5]);
    expect(body.rows[0]).toMatchObject({
      stage: 'sequence_similarity',
      embedding_config_id: null,
      k: 50,
      category: 'NK',
      aspect: 'BPO',
      prop: 'fill',
      th_step: 0.01,
    });
    expect(idAndFmax(body.best_per_cell.NK.BPO)).toEqual([reranked, 0.5]);
    expect(idAndFmax(body.best_per_cell.NK.MFO)).toEqual([baseline, 0.45]);
    expect(body.best_per_cell.PK).toBeUndefined();
    expect(body.embedding_config_ids).toEqual([data.configId]);
    expect(body.evaluation_sets).toHaveLength(1);
  });

  it('keeps to the filters, and shows the best of all beside the best of the rows', async () => {
    const body = await matrix('?stage=composite&k=5');
    expect(body.rows.map((row: { stage: string }) => row.stage)).toEqual(['composite', 'composite']);
    expect(body.filters).toEqual({ evaluation_set_id: null, stage: 'composite', k: 5 });
    expect(body.best_per_cell.NK.BPO.fmax).toBe(0.35);
    expect(body.best_per_cell_global.NK.BPO.fmax).toBe(0.5);
    expect((await matrix('?k=50')).total).toBe(2);
    expect((await matrix(`?evaluation_set_id=${setIds[1]}`)).total).toBe(0);
    const refused = await test.call({ url: '/v1/benchmark/matrix?k=0' });
    expect(problemIn(refused)).toMatchObject({ status: 422 });
  });

  it('shows the best and the methods side by side, of one evaluation set alone', async () => {
    const body = await showcase();
    expect(body.best_fmax.NK.BPO).toMatchObject({ fmax: 0.5, method: 'reranker', method_label: 'Our model' });
    expect(body.best_fmax.NK.MFO).toMatchObject({ fmax: 0.45, embedding_name: null });
    expect(body.method_comparison.NK.map(({ method }: { method: string }) => method)).toEqual([
      'nearest_neighbours',
      'sequence_similarity',
      'reranker',
      'composite',
    ]);
    expect(body.method_comparison.NK[1]).toMatchObject({
      is_baseline: true,
      figures: { BPO: { fmax: 0.2 }, MFO: { fmax: 0.45 }, CCO: null },
    });
    expect(body.counts.evaluations).toBe(5);
    await land([0.1, 0.15], { set: 1 });
    const newer = await showcase();
    expect(newer.evaluation_set_id).toBe(setIds[1]);
    expect(newer.best_fmax.NK.BPO.fmax).toBe(0.1);
  });

  it('is kept until a result lands or goes, whatever else changes', async () => {
    await test.db.updateTable('prediction_set').set({ prediction_count: 123 }).execute();
    expect((await showcase()).counts.predictions).not.toBe(246);
    const id = await land([0.7, 0.7]);
    expect((await showcase()).counts.predictions).toBe(246);
    expect((await matrix()).best_per_cell.NK.BPO.fmax).toBe(0.7);
    await test.db.deleteFrom('evaluation_result').where('id', '=', id).execute();
    expect((await matrix()).best_per_cell.NK.BPO.fmax).toBe(0.5);
  });

  it('has a sample of the first complete run by combined that everyone finds', async () => {
    const run = (more: object) =>
      test.db
        .insertInto('prediction_set')
        .values({
          ontology_snapshot_id: data.snapshotId,
          method: 'combined',
          limit_per_entry: 5,
          protein_count: 1,
          visibility: 'listed',
          ...more,
        })
        .returning(['id', 'number'])
        .executeTakeFirstOrThrow();
    const protein = (number: number, protein_accession: string, term_count: number) =>
      test.db
        .insertInto('prediction_set_protein')
        .values({
          prediction_set_number: number,
          protein_accession,
          sequence_id: 1,
          term_count,
          prediction_count: 1,
        })
        .execute();
    for (const more of [{ visibility: 'link' }, { status: 'incomplete' }, { expires_at: '2100-01-01' }])
      await protein((await run(more)).number, 'Q1', 1);
    expect((await showcase()).sample).toBeNull();
    const { id, number } = await run({});
    await protein(number, 'Q1', 1);
    await protein(number, 'Q2', 7);
    await protein((await run({})).number, 'Q3', 9);
    expect((await showcase()).sample).toEqual({ prediction_set_id: id, accession: 'Q2' });
    await test.db.deleteFrom('prediction_set').where('method', '=', 'combined').execute();
  });

  it('tells votes by what the neighbours weigh', async () => {
    for (const weights of ['alignment', 'distance']) {
      const set = await test.db
        .insertInto('prediction_set')
        .values({
          method: 'weighted_votes',
          visibility: 'listed',
          embedding_config_id: data.configId,
          annotation_set_id: data.setId,
          ontology_snapshot_id: data.snapshotId,
          limit_per_entry: 50,
          parameters: JSON.stringify({ weights }),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await land([0.4, 0.4], { prediction: set.id });
    }
    const names = (await matrix()).stages.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['votes_by_alignment', 'votes_by_distance']));
  });

  it('shows what is not listed to its owner and to operators alone, marked', async () => {
    const owner = await test.account('researcher');
    const others = [undefined, (await test.account('researcher')).headers];
    const operators = [(await test.account('operator')).headers, (await test.account('admin')).headers];
    const { id } = await test.db
      .insertInto('prediction_set')
      .values({
        ...{ method: 'own_try', visibility: 'link', owner_user_id: owner.user.id, limit_per_entry: 3 },
        ...{ annotation_set_id: data.setId, ontology_snapshot_id: data.snapshotId },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const result = await land([0.99, 0.98], { prediction: id, set: 1 });
    const read = async (url: string, headers?: Record<string, string>) =>
      (await test.call({ url, headers })).body;
    for (const headers of others) {
      const { rows, best_per_cell } = await read('/v1/benchmark/matrix', headers);
      expect(rows.every((row: { listed: boolean }) => row.listed)).toBe(true);
      expect(best_per_cell.NK.BPO.fmax).toBeLessThan(0.99);
      const { best_fmax } = await read('/v1/showcase', headers);
      expect(best_fmax.NK.BPO.listed).toBe(true);
    }
    for (const headers of [owner.headers, ...operators]) {
      const own = await read('/v1/benchmark/matrix?stage=own_try', headers);
      expect(own.rows).toMatchObject([
        { evaluation_result_id: result, fmax: 0.99, listed: false },
        { evaluation_result_id: result, fmax: 0.98, listed: false },
      ]);
      // Rows that everyone sees are in the list, too.
      const all = await read('/v1/benchmark/matrix', headers);
      expect(all.rows.some((row: { listed: boolean }) => row.listed)).toBe(true);
      const { best_fmax, method_comparison } = await read('/v1/showcase', headers);
      expect(best_fmax.NK.BPO).toMatchObject({ evaluation_result_id: result, listed: false });
      expect(method_comparison.NK[0].figures.BPO).toEqual({
        fmax: 0.99,
        evaluation_result_id: result,
        listed: false,
      });
    }
  });

  it('says in the reply of a run whether everyone will see its figures', async () => {
    const { headers } = await test.account('operator');
    const run = async (prediction_set_id: string) =>
      (
        await test.call({
          method: 'POST',
          url: `/v1/annotations/evaluation-sets/${setIds[0]}/run`,
          payload: { prediction_set_id },
          headers,
        })
      ).body;
    expect(await run(baselineSet)).toMatchObject({ status: 'QUEUED', listed: true, note: null });
    const query = await test.db
      .insertInto('query_set')
      .values({ name: 'q', entry_count: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const change = (values: object) =>
      test.db.updateTable('prediction_set').set(values).where('id', '=', baselineSet).execute();
    await change({ visibility: 'link', query_set_id: query.id });
    expect(await run(baselineSet)).toMatchObject({
      listed: false,
      note: expect.stringContaining(`PATCH /v1/query-sets/${query.id} with {"visibility": "listed"}`),
    });
    await change({ visibility: 'listed', query_set_id: null });
  });

  it('leaves out sets that are not listed, at once', async () => {
    const total = async () => (await matrix('?stage=sequence_similarity')).total;
    await land([0.7, 0.7]);
    for (const change of [{ visibility: 'link' }, { visibility: 'listed', listed: false }] as const) {
      expect(await total()).toBeGreaterThan(0);
      await test.db.updateTable('prediction_set').set(change).where('id', '=', baselineSet).execute();
      expect(await total()).toBe(0);
      const back = { visibility: 'listed', listed: true } as const;
      await test.db.updateTable('prediction_set').set(back).where('id', '=', baselineSet).execute();
    }
  });
});

function idAndFmax(row: { evaluation_result_id: string; fmax: number }): [string, number] {
  return [row.evaluation_result_id, row.fmax];
}
