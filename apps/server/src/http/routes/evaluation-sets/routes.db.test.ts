import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseFasta } from '@kindred/kernels/formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { generateEvaluationSet } from '../../../evaluate/generate-evaluation-set.js';
import { runCafaEvaluation } from '../../../evaluate/run-cafa-evaluation.js';
import { inTransaction } from '../../../store/postgres/connection.js';
import {
  addPredictions,
  type EvaluationWorld,
  fillEvaluationWorld,
  termId,
} from '../../../testing/evaluation-world.js';
import { inlineCompute } from '../../../testing/inline-compute.js';
import { type LoadingBench, loadingBench } from '../../../testing/loading-context.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
let operator: TestAccount;
let world: EvaluationWorld;
let bench: LoadingBench;
let setId: string;
const base = '/v1/annotations/evaluation-sets';
const absentId = '55555555-5555-4555-8555-555555555555';
beforeAll(async () => {
  test = await startTestApp();
  operator = await test.account('operator');
  world = await fillEvaluationWorld(test.db);
  const services = { compute: inlineCompute(), artifacts: test.artifacts };
  bench = loadingBench(test.db, { services });
  setId = String((await bench.run(generateEvaluationSet, pair())).evaluation_set_id);
});
afterAll(() => test?.close());

const pair = () => ({
  old_annotation_set_id: world.oldSetId,
  new_annotation_set_id: world.newSetId,
});
const get = (path: string) => test.call({ url: `${base}/${path}` });
const post = (path: string, payload: object) =>
  test.call({ method: 'POST', url: `${base}/${path}`, payload, headers: operator.headers });
const remove = (path: string) =>
  test.call({ method: 'DELETE', url: `${base}/${path}`, headers: operator.headers });
const evaluated = async (payload: Record<string, unknown> = {}): Promise<string> => {
  const made = await bench.run(runCafaEvaluation, {
    evaluation_set_id: setId,
    prediction_set_id: world.predictionSetId,
    resamples: 30,
    ...payload,
  });
  return String(made.evaluation_result_id);
};

describe('evaluation sets', () => {
  it('are queued, listed and shown with their rules', async () => {
    const queued = await post('generate', pair());
    expect(queued.status).toBe(202);
    expect((await test.call({ url: String(queued.headers.location) })).body).toMatchObject({
      operation: 'generate_evaluation_set',
      payload: { ...pair(), protein_binding_only: 'exclude' },
    });
    const [listed] = (await test.call({ url: base })).body;
    expect(listed).toMatchObject({
      id: setId,
      old_annotation_set_label: 'goa old',
      new_annotation_set_label: 'goa new',
      obo_version: 'releases/2025-01-01',
      stats: { nk_proteins: 3, lk_proteins: 3, pk_proteins: 3, nk_annotations: 9 },
    });
    expect((await get(setId)).body).toMatchObject({ ...listed, rules: { protein_binding_only: 'exclude' } });
  });

  it.each<[object, number]>([
    [{ old_annotation_set_id: absentId, new_annotation_set_id: absentId.replace('5', '6') }, 422],
    [{ old_annotation_set_id: absentId, new_annotation_set_id: absentId }, 422],
    [{ old_annotation_set_id: 'x', new_annotation_set_id: absentId }, 422],
    [{ extra: 1 }, 422],
  ])('refuse to be generated from %j', async (payload, status) => {
    expect(problemIn(await post('generate', payload)).status).toBe(status);
  });

  it('serve truth in CAFA format, without a header', async () => {
    const truth = async (file: string) => (await get(`${setId}/${file}`)).body;
    const pk = await get(`${setId}/ground-truth-PK.tsv`);
    expect(pk.body).toBe(
      ['K1\tGO:0000003', 'K2\tGO:0000002', 'K2\tGO:0000005', 'K3\tGO:0000012', ''].join('\n'),
    );
    expect(pk.headers['content-disposition']).toBe('attachment; filename="ground_truth_PK.tsv"');
    expect((await truth('ground-truth-NK.tsv')).split('\n')).toHaveLength(9 + 1);
    expect((await truth('ground-truth-LK.tsv')).split('\n')).toHaveLength(6 + 1);
    expect(await truth('known-terms.tsv')).toContain('K1\tGO:0000002\n');
    expect(problemIn(await get(`${absentId}/ground-truth-NK.tsv`)).status).toBe(404);
  });

  it('serve the sequences of the proteins with truth', async () => {
    const all = (await get(`${setId}/delta-proteins.fasta`)).body as string;
    expect(all.match(/^>.*$/gm)).toHaveLength(8);
    expect(all).toContain('>K1 K1_TEST OS=Escherichia coli OX=83333 (LK|PK)\nMKTAYIAK');
    // The guide uploads this file for the prediction, and the file keeps its taxa.
    expect(new Set(parseFasta(all).map(({ taxonId }) => taxonId))).toEqual(new Set([83_333]));
    expect(Math.max(...all.split('\n').map((line) => line.length))).toBeLessThan(80);
    const nk = (await get(`${setId}/delta-proteins.fasta?category=NK`)).body as string;
    expect(nk.match(/^>\w+/gm)).toEqual(['>N1', '>N2', '>N3']);
    expect(problemIn(await get(`${setId}/delta-proteins.fasta?category=xk`)).errors?.[0].path).toBe(
      '/category',
    );
  });
});

describe('results', () => {
  it('are queued with the options that will be used', async () => {
    const { predictionSetId } = world;
    const queued = await post(`${setId}/run`, { prediction_set_id: predictionSetId, prop: 'max' });
    expect(queued.status).toBe(202);
    expect((await test.call({ url: String(queued.headers.location) })).body).toMatchObject({
      operation: 'run_cafa_evaluation',
      queue_name: 'svc.jobs',
      payload: {
        evaluation_set_id: setId,
        prediction_set_id: predictionSetId,
        prop: 'max',
        norm: 'cafa',
        no_orphans: true,
        th_step: 0.01,
        resamples: 1000,
      },
    });
    const status = async (path: string, payload: object) => problemIn(await post(path, payload)).status;
    expect(await status(`${setId}/run`, { prediction_set_id: absentId })).toBe(422);
    expect(await status(`${absentId}/run`, { prediction_set_id: predictionSetId })).toBe(404);
    expect(await status(`${setId}/run`, { prediction_set_id: predictionSetId, th_step: 1 })).toBe(422);
    expect(await status(`${setId}/run`, { prediction_set_id: predictionSetId, extra: 1 })).toBe(422);
  });

  it('are listed, and shown with intervals and frame', async () => {
    const rid = await evaluated();
    const listed = (await get(`${setId}/results`)).body.find((row: { id: string }) => row.id === rid);
    expect(listed).toMatchObject({ prediction_set_id: world.predictionSetId, options: { prop: 'fill' } });
    const one = (await get(`${setId}/results/${rid}`)).body;
    expect(one).toMatchObject(listed);
    expect(one.intervals.NK.BPO.fmax.samples).toBe(30);
    expect(one.artifacts[0]).toEqual({
      name: 'frame.json',
      size_bytes: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const { bins, ece, predictions } = one.reliability.NK.BPO;
    expect(ece).toBe(one.results.NK.BPO.ece);
    expect(bins).toHaveLength(10);
    const counted = bins.reduce((sum: number, bin: { predictions: number }) => sum + bin.predictions, 0);
    expect([counted, predictions > 0]).toEqual([predictions, true]);
    const none = await get(`${setId}/results?prediction_set_id=${absentId}`);
    expect(none.body).toEqual([]);
    expect(problemIn(await get(`${absentId}/results/${rid}`)).status).toBe(404);
    expect(problemIn(await get(`${absentId}/results`)).status).toBe(404);
  });

  it('give their figures as a table', async () => {
    const rid = await evaluated();
    const { results } = (await get(`${setId}/results/${rid}`)).body;
    const lines = ((await get(`${setId}/results/${rid}/metrics.tsv`)).body as string).trimEnd().split('\n');
    const rows = lines.map((line) => line.split('\t'));
    expect(rows[0].slice(0, 8)).toEqual(
      'setting namespace fmax precision recall tau coverage n_proteins'.split(' '),
    );
    expect(rows.slice(1).map(([setting, namespace]) => `${setting} ${namespace}`)).toEqual([
      'NK BPO',
      'NK MFO',
      'LK BPO',
      'LK MFO',
      'LK CCO',
      'PK BPO',
      'PK MFO',
    ]);
    for (const [setting, namespace, ...cells] of rows.slice(1))
      rows[0].slice(2).forEach((figure, i) => {
        expect(cells[i] === '' ? null : Number(cells[i])).toBe(results[setting][namespace][figure]);
      });
  });

  it('give all their files as a zip', async () => {
    const rid = await evaluated();
    const { artifacts } = (await get(`${setId}/results/${rid}`)).body;
    const answer = await test.app.inject({ url: `${base}/${setId}/results/${rid}/artifacts.zip` });
    expect(answer.headers['content-type']).toBe('application/zip');
    const files = await unzip(answer.rawPayload);
    expect([...files.keys()].sort()).toEqual(artifacts.map(({ name }: { name: string }) => name).sort());
    expect(files.get('gt_PK.tsv')).toBe((await get(`${setId}/ground-truth-PK.tsv`)).body);
    const { reliability } = (await get(`${setId}/results/${rid}`)).body;
    const [, ...bins] = (files.get('NK/reliability.tsv') as string).trimEnd().split('\n');
    expect(bins.map((line) => line.split('\t')).filter(([ns]) => ns === 'biological_process')).toEqual(
      reliability.NK.BPO.bins.map((bin: Record<string, number | null>) => [
        'biological_process',
        ...Object.values(bin).map((value) => String(value ?? '')),
      ]),
    );
    expect(files.get('NK/evaluation_best_f_w.tsv')?.split('\n')[0]).toContain('cov_max');
    expect(JSON.parse(files.get('frame.json')!).options.ia.source).toBe('computed');
  });

  it('are compared on the same resamples', async () => {
    const better = await inTransaction(test.db, (trx) =>
      addPredictions(trx, {
        snapshotId: world.snapshotId,
        rows: [
          ['N1', termId(12), 0.9],
          ['N2', termId(12), 0.9],
          ['K1', termId(3), 0.9],
        ],
      }),
    );
    const [a, b] = [await evaluated({ prediction_set_id: better }), await evaluated()];
    const { differences, ...rest } = (await get(`${setId}/results/${a}/compare?with=${b}`)).body;
    const figures = async (rid: string) => (await get(`${setId}/results/${rid}`)).body.results;
    const expected = (await figures(a)).NK.BPO.fmax - (await figures(b)).NK.BPO.fmax;
    expect(expected).toBeGreaterThan(0);
    expect(differences.NK.BPO.fmax.difference).toBeCloseTo(expected, 12);
    expect(differences.NK.BPO.fmax.low).toBeLessThanOrEqual(expected);
    expect(differences.NK.BPO.fmax.p_value).toBeGreaterThan(0);
    expect(rest).toMatchObject({ level: 0.95, seed: 1, resamples: 30, not_paired: [] });
    const turned = (await get(`${setId}/results/${b}/compare?with=${a}`)).body.differences;
    expect(turned.NK.BPO.fmax.difference).toBeCloseTo(-expected, 12);
    const itself = (await get(`${setId}/results/${b}/compare?with=${b}`)).body.differences;
    expect(itself.NK.BPO.fmax).toMatchObject({ difference: 0, low: 0, high: 0, p_value: 1 });
    const conflict = async (options: Record<string, unknown>) =>
      problemIn(await get(`${setId}/results/${b}/compare?with=${await evaluated(options)}`));
    expect(await conflict({ seed: 5 })).toMatchObject({
      status: 409,
      detail: expect.stringContaining('seed'),
    });
    expect(await conflict({ resamples: 0 })).toMatchObject({ status: 409 });
    expect(await conflict({ toi: [termId(3)] })).toMatchObject({
      status: 409,
      detail: expect.stringContaining('evaluated terms'),
    });
  });

  it('keep what they were made from, their set too, and go with their files', async () => {
    const rid = await evaluated({ seed: 9 });
    const inUse = await test.call({
      method: 'DELETE',
      url: `/v1/annotations/sets/${world.newSetId}`,
      headers: operator.headers,
    });
    expect(problemIn(inUse)).toMatchObject({ status: 409, detail: expect.stringContaining(setId) });
    const used = await test.call({
      method: 'DELETE',
      url: `/v1/embeddings/prediction-sets/${world.predictionSetId}`,
      headers: operator.headers,
    });
    expect(problemIn(used)).toMatchObject({
      status: 409,
      code: 'in_use',
      detail: expect.stringContaining(rid),
    });
    const { artifacts } = (await test.db
      .selectFrom('evaluation_result')
      .select('artifacts')
      .where('id', '=', rid)
      .executeTakeFirstOrThrow()) as { artifacts: { uri: string }[] };
    expect((await remove(`${setId}/results/${rid}`)).status).toBe(204);
    expect(await test.artifacts.size(artifacts[0].uri)).toBeNull();
    expect(problemIn(await remove(`${setId}/results/${rid}`)).status).toBe(404);
    const others: { id: string }[] = (await get(`${setId}/results`)).body;
    expect(others.length).toBeGreaterThan(0);
    expect(problemIn(await remove(setId))).toMatchObject({
      status: 409,
      code: 'in_use',
      detail: expect.stringContaining(others[0].id),
    });
    expect((await get(`${setId}/results`)).body).toEqual(others);
    for (const { id } of others) expect((await remove(`${setId}/results/${id}`)).status).toBe(204);
    expect((await remove(setId)).body).toEqual({ deleted: setId, truth_deleted: 9 + 6 + 4 + 5 });
    expect(problemIn(await get(setId)).status).toBe(404);
    expect(problemIn(await remove(setId)).status).toBe(404);
  });
});

async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  const open = (entry: Entry) =>
    new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
    });
  const files = new Map<string, string>();
  zip.on('entry', async (entry: Entry) => {
    files.set(entry.fileName, await text(await open(entry)));
    zip.readEntry();
  });
  zip.readEntry();
  await once(zip, 'end');
  return files;
}
