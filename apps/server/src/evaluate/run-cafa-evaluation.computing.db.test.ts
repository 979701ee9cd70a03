import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { uriOfKey } from '../ground/artifacts/keys.js';
import { createComputePool } from '../ground/pool/thread-pool.js';
import { type Database, inTransaction } from '../store/postgres/connection.js';
import { findEvaluationResult, resamplesOf } from '../store/evaluation/evaluation-results.repository.js';
import { type EvaluationBench, startEvaluationBench } from '../testing/evaluation-bench.js';
import { addPredictions, type EvaluationWorld, termId } from '../testing/evaluation-world.js';
import { inlineCompute } from '../testing/inline-compute.js';
import { type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { runCafaEvaluation } from './run-cafa-evaluation.js';

let started: EvaluationBench;
let db: Database;
let folder: string;
let artifacts: ArtifactStore;
let bench: LoadingBench;
let world: EvaluationWorld;
let setId: string;
beforeAll(async () => {
  started = await startEvaluationBench();
  ({ db, folder, artifacts, bench, world, setId } = started);
});
afterAll(() => started.close());

type Cell = Record<string, number | null>;
type Results = Record<string, Record<string, Cell>>;
const run = (payload: Record<string, unknown> = {}, more: Parameters<LoadingBench['run']>[2] = {}) =>
  bench.run(
    runCafaEvaluation,
    {
      evaluation_set_id: setId,
      prediction_set_id: world.predictionSetId,
      resamples: 50,
      ...payload,
    },
    more,
  );
const resultsOf = async (payload: Record<string, unknown> = {}): Promise<Results> =>
  (await run(payload)).results as Results;
const write = (name: string, text: string) => started.write(text, name);

/** Checks that every file in the store belongs to a result, and every result has its files. */
async function onlyNamedFiles(): Promise<void> {
  const place = join(folder, 'artifacts', 'evaluation-results');
  const found = await readdir(place, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  const rows = await db.selectFrom('evaluation_result').select('artifacts').execute();
  const named = rows.flatMap((row) => (row.artifacts as { uri: string }[]).map(({ uri }) => uri));
  const keys = files.map((entry) => relative(join(folder, 'artifacts'), join(entry.parentPath, entry.name)));
  expect(keys.map(uriOfKey).sort()).toEqual(named.sort());
}

describe('run_cafa_evaluation', () => {
  it('stores figures that can be worked out by hand', async () => {
    const { NK, PK } = await resultsOf({ ia: 'none', prop: 'max', resamples: 0 });
    // NK process: N1 has 12 at 0.4 and N2 has 11 at 0.82; truth is {11, 12} for both, and 13 is wrong at 0.6.
    // The threshold 0.4 gives P = (2/2 + 1/2) / 2 and R = (2/2 + 1/2) / 2.
    expect(NK.BPO).toMatchObject({ n_proteins: 2, precision: 0.75, recall: 0.75, fmax: 0.75, fmax_w: null });
    // PK function above 0.45, where K1 had 2 and K2 had 4: K1 finds its 3; K2 finds 2, by way of the wrong 3.
    expect(PK.MFO).toMatchObject({ n_proteins: 2, precision: 0.75, recall: 0.75, fmax: 0.75, coverage: 1 });
    expect(PK.MFO.tau).toBeCloseTo(0.46, 10);
    // In process, only K3 finds 12 (at 0.25), and the wrong 13 comes before it.
    expect(PK.BPO).toMatchObject({ n_proteins: 1, precision: 0.5, recall: 1, fmax: 2 / 3 });
    expect(NK.CCO).toBeUndefined();
  });

  it('keeps options, frame, intervals, resamples and files with the result', async () => {
    const made = await run();
    const row = (await findEvaluationResult(db, made.evaluation_result_id as string))!;
    expect(row.options).toMatchObject({
      prop: 'fill',
      norm: 'cafa',
      no_orphans: true,
      th_step: 0.01,
      max_terms: null,
      toi: null,
      ia: { source: 'computed', annotation_set_id: world.oldSetId, ontology_snapshot_id: world.snapshotId },
      resamples: 50,
      seed: 1,
    });
    expect(row.frame).toMatchObject({
      ontology: 'releases/2025-01-01',
      categories: { NK: { aspects: { BPO: { proteins: 2, evaluated_terms: 3 } } } },
    });
    const { fmax } = row.results.NK!.BPO!;
    const interval = row.intervals!.NK!.BPO!.fmax;
    expect(interval.low).toBeLessThanOrEqual(fmax!);
    expect(interval.high).toBeGreaterThanOrEqual(fmax!);
    const resamples = await resamplesOf(db, row.id);
    expect(resamples.map(({ category, aspect }) => category + aspect)).toEqual([
      'LKC',
      'LKF',
      'LKP',
      'NKF',
      'NKP',
      'PKF',
      'PKP',
    ]);
    expect(resamples[4].estimates[resamples[4].figures.indexOf('fmax')]).toBe(fmax);
    expect(resamples[4].samples).toHaveLength(50 * resamples[4].figures.length);
    const names = row.artifacts.map(({ name }) => name);
    expect(names).toContain('NK/evaluation_all.tsv');
    expect(names).toContain('gt_PK.tsv');
    for (const { uri, size_bytes, sha256, name } of row.artifacts) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of artifacts.get(uri)) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      expect(bytes.length).toBe(size_bytes);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      if (name === 'IA.tsv') expect(sha256).toBe((row.options.ia as { sha256: string }).sha256);
    }
  });

  it('computes information accretion once, from the experimental rows of the old set', async () => {
    await run({ ia: 'computed', seed: 4 });
    await run({ ia: 'computed', seed: 5 });
    const rows = await db.selectFrom('information_accretion').selectAll().execute();
    expect(rows).toHaveLength(1);
    const [row] = rows;
    expect(row).toMatchObject({
      ontology_snapshot_id: world.snapshotId,
      annotation_set_id: world.oldSetId,
      protein_count: 5,
      term_count: 13,
    });
    // L1 and K1 have 2, K2 has 4 (function); K3 has 11, L2 has 13 (process). The bits are -log2((n + 1) /
    // (parents + 1)).
    const expected: Record<number, number> = {
      ...{ 1: 0, 2: -Math.log2(3 / 4), 3: -Math.log2(1 / 3), 4: 1, 5: 0, 5488: 2, 5515: 0 },
      ...{ 10: 0, 11: -Math.log2(2 / 3), 12: 1, 13: -Math.log2(2 / 3), 20: 0, 21: 0 },
    };
    for (const [i, id] of row.go_ids.entries())
      expect(row.bits[i]).toBeCloseTo(expected[Number(id.slice(3))], 12);
    const text = row.go_ids.map((id, i) => `${id}\t${row.bits[i]}\n`).join('');
    expect(createHash('sha256').update(text).digest('hex')).toBe(row.sha256);
  });

  it('evaluates equal sets and options once, whatever address they came from', async () => {
    const first = await run();
    expect((await run()).evaluation_result_id).toBe(first.evaluation_result_id);
    const [a, b] = [await write('a.tsv', 'GO:0000003\t2\n'), await write('b.tsv', 'GO:0000003\t2\n')];
    const byFile = await run({ ia_file: a });
    expect(byFile.skipped).toBe(false);
    expect(await run({ ia_file: b })).toMatchObject({
      skipped: true,
      evaluation_result_id: byFile.evaluation_result_id,
    });
  });

  it('keeps one of two equal results that come at once, and the files of one', async () => {
    const other = loadingBench(db, { services: { compute: inlineCompute(), artifacts } });
    const payload = { evaluation_set_id: setId, prediction_set_id: world.predictionSetId, seed: 33 };
    const made = await Promise.all([
      run(payload),
      other.run(runCafaEvaluation, { resamples: 50, ...payload }),
    ]);
    expect(new Set(made.map((result) => result.evaluation_result_id)).size).toBe(1);
    await onlyNamedFiles();
  });

  it('says so when a set is deleted meanwhile, and leaves no file', async () => {
    const doomed = await inTransaction(db, (trx) =>
      addPredictions(trx, { snapshotId: world.snapshotId, rows: [['N1', termId(3), 0.5]] }),
    );
    let removed = false;
    const stopped = run(
      { prediction_set_id: doomed },
      {
        onEvent: async (event) => {
          if (event !== 'run_cafa_evaluation.setting_done' || removed) return;
          removed = true;
          await db.deleteFrom('prediction_set').where('id', '=', doomed).execute();
        },
      },
    );
    await expect(stopped).rejects.toMatchObject({ code: 'conflict' });
    await onlyNamedFiles();
  });

  it('takes the file of the snapshot before computing, and none on request', async () => {
    const ofFile = await resultsOf({ ia_file: await write('c.tsv', 'GO:0000012\t5\n') });
    const url = await write('snapshot-ia.tsv', 'GO:0000012\t5\nGO:0000011\t1\n');
    await db.updateTable('ontology_snapshot').set({ ia_url: url }).execute();
    const ofSnapshot = await resultsOf();
    const computed = await resultsOf({ ia: 'computed' });
    await db.updateTable('ontology_snapshot').set({ ia_url: null }).execute();
    const none = await resultsOf({ ia: 'none' });
    const seen = [ofFile, ofSnapshot, computed, none].map(({ NK }) => NK.BPO.fmax_w);
    expect(new Set(seen).size).toBe(4);
    expect(seen[3]).toBeNull();
    await expect(run({ ia: 'snapshot' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      run({ ia_file: await write('bad.tsv', 'GO:0000012\tx\nGO:0000011\ty\n') }),
    ).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('line 2'),
    });
  });

  const changes: [string, Record<string, unknown>][] = [
    ['prop', { prop: 'max' }],
    ['norm pred', { norm: 'pred' }],
    ['norm gt', { norm: 'gt' }],
    ['no_orphans', { no_orphans: false }],
    ['th_step', { th_step: 0.1 }],
    ['max_terms', { max_terms: 1 }],
    ['max_distance', { max_distance: 0.5 }],
    ['toi', { toi: [termId(3), termId(12), termId(21)] }],
    ['toi_file', { toi_file: '' }],
    ['ia none', { ia: 'none' }],
  ];
  it.each(changes)('%s changes the figures', async (name, change) => {
    const toi = name === 'toi_file' ? { toi_file: await write('toi.txt', `term\n${termId(3)}\n`) } : {};
    expect(await resultsOf({ ...change, ...toi })).not.toEqual(await resultsOf());
  });

  it('a known term is neither rewarded nor punished, in PK alone', async () => {
    const known = await inTransaction(db, (trx) =>
      addPredictions(trx, {
        snapshotId: world.snapshotId,
        rows: [
          ['K1', termId(3), 0.5],
          // K1 had 2 and K2 had 4 before; L2 had 13, but counts as LK in other aspects only.
          ['K1', termId(2), 0.9],
          ['K2', termId(4), 0.9],
          ['K2', termId(5), 0.5],
        ],
      }),
    );
    const { PK } = await resultsOf({ prediction_set_id: known, prop: 'max', ia: 'none' });
    expect(PK.MFO).toMatchObject({ fmax: 1, precision: 1, recall: 1 });
  });

  it('resamples change intervals, not figures', async () => {
    const intervalsOf = async (payload: Record<string, unknown>) => {
      const made = await run(payload);
      return (await findEvaluationResult(db, made.evaluation_result_id as string))!;
    };
    const [one, two, fewer, none] = [
      await intervalsOf({}),
      await intervalsOf({ seed: 2 }),
      await intervalsOf({ resamples: 20 }),
      await intervalsOf({ resamples: 0 }),
    ];
    for (const other of [two, fewer, none]) {
      expect(other.results).toEqual(one.results);
      expect(other.intervals).not.toEqual(one.intervals);
    }
    expect(none.intervals).toBeNull();
    expect(none.options.seed).toBeNull();
  });

  it('gives the figures of the score as the CAFA file has it', async () => {
    const rows = (score: number): [string, string, number][] => [['N1', termId(12), score]];
    const add = (score: number) =>
      inTransaction(db, (trx) => addPredictions(trx, { snapshotId: world.snapshotId, rows: rows(score) }));
    const [exact, rounded] = [await add(0.7198), await add(0.72)];
    const taus = [];
    for (const prediction_set_id of [exact, rounded])
      taus.push((await resultsOf({ prediction_set_id, ia: 'none' })).NK.BPO);
    expect(taus[0]).toEqual(taus[1]);
  });

  it('refuses what cannot be evaluated, in words', async () => {
    const absent = '55555555-5555-4555-8555-555555555555';
    await expect(run({ evaluation_set_id: absent })).rejects.toMatchObject({ code: 'not_found' });
    await expect(run({ prediction_set_id: absent })).rejects.toMatchObject({ code: 'not_found' });
    const elsewhere = await inTransaction(db, (trx) =>
      addPredictions(trx, { snapshotId: world.snapshotId, rows: [['X1', termId(3), 1]] }),
    );
    await expect(run({ prediction_set_id: elsewhere })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('any of the 8 proteins'),
    });
    await expect(run({ toi: ['GO:9999999'] })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(run({ toi_file: await write('t.txt', 'term\nnone\n') })).rejects.toThrow('line 2');
    await expect(run({ toi: [termId(3)], toi_file: 'file:///x' })).rejects.toThrow('not both');
    await expect(run({ ia: 'none', ia_file: 'file:///x' })).rejects.toThrow('leave one of the two out');
    await expect(run({ ia_file: 'file:///etc/passwd' })).rejects.toMatchObject({ code: 'address_refused' });
    await db
      .updateTable('prediction_set')
      .set({ expires_at: '2030-01-01T00:00:00Z' })
      .where('id', '=', elsewhere)
      .execute();
    await expect(run({ prediction_set_id: elsewhere })).rejects.toThrow('unsaved annotation');
  });

  const compiled = existsSync(new URL('../../dist/predict/compute/tasks/evaluate.js', import.meta.url));
  it.skipIf(!compiled)('gives the same in threads, reports progress, and stops in the middle', async () => {
    const pool = createComputePool({ size: 1 });
    const steps: [number, number | null][] = [];
    const progress = async (current: number, total: number | null) => void steps.push([current, total]);
    const services = { artifacts, compute: pool, progress };
    const threaded = loadingBench(db, { importDirs: [folder], services });
    const payload = { evaluation_set_id: setId, prediction_set_id: world.predictionSetId, ia: 'none' };
    try {
      const made = await threaded.run(runCafaEvaluation, { ...payload, resamples: 40, seed: 100 });
      const row = (await findEvaluationResult(db, made.evaluation_result_id as string))!;
      const inline = await run({ ia: 'none', resamples: 40, seed: 101 });
      expect(row.results).toEqual(inline.results);
      expect(steps.at(-1)).toEqual([3000, 3000]);
      expect(steps.every(([current]) => Number.isInteger(current))).toBe(true);
      expect(steps.every(([current], i) => i === 0 || current >= steps[i - 1][0])).toBe(true);
      const abort = new AbortController();
      const before = await db.selectFrom('evaluation_result').select('id').execute();
      const stopping = loadingBench(db, {
        services: { ...services, progress: async () => abort.abort(new Error('in the middle')) },
      });
      const stopped = stopping.run(
        runCafaEvaluation,
        { ...payload, resamples: 10_000, seed: 102 },
        { signal: abort.signal },
      );
      await expect(stopped).rejects.toThrow('in the middle');
      expect(await db.selectFrom('evaluation_result').select('id').execute()).toEqual(before);
    } finally {
      await pool.close();
    }
  });

  it('says that the set is gone when it is deleted meanwhile', async () => {
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into prediction_set (method, annotation_set_id, ontology_snapshot_id, limit_per_entry)
       select method, annotation_set_id, ontology_snapshot_id, 1 from prediction_set where id = $1 returning id`,
      [world.predictionSetId],
    );
    const gone = run(
      { prediction_set_id: rows[0].id, ia: 'none' },
      {
        onEvent: async (event) => {
          if (event !== 'run_cafa_evaluation.reading_predictions') return;
          await db.deleteFrom('prediction_set').where('id', '=', rows[0].id).execute();
        },
      },
    );
    await expect(gone).rejects.toThrow('was deleted while it was being evaluated');
  });

  it('stops on request, and leaves no files and no row', async () => {
    const abort = new AbortController();
    const before = await db.selectFrom('evaluation_result').select('id').execute();
    const stopped = run(
      { seed: 77 },
      {
        signal: abort.signal,
        onEvent: (event) => {
          if (event === 'run_cafa_evaluation.setting_done') abort.abort(new Error('asked to stop'));
        },
      },
    );
    await expect(stopped).rejects.toThrow('asked to stop');
    expect(await db.selectFrom('evaluation_result').select('id').execute()).toEqual(before);
  });
});
