import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../ground/memory.js';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { scoreSource } from './score-sources.js';
import { runCafaEvaluation } from './run-cafa-evaluation.js';
import { findEvaluationResult } from '../store/evaluation/evaluation-results.repository.js';
import { findEvaluationSet } from '../store/evaluation/evaluation-sets.repository.js';
import { type Database, inTransaction } from '../store/postgres/connection.js';
import { findPredictionSet } from '../store/predictions/prediction-sets.repository.js';
import { type EvaluationBench, startEvaluationBench } from '../testing/evaluation-bench.js';
import { addPredictions, type EvaluationWorld, termId } from '../testing/evaluation-world.js';
import { inlineCompute } from '../testing/inline-compute.js';
import type { LoadingBench } from '../testing/loading-context.js';
import { scoreMetrics } from './score-metrics.js';

let started: EvaluationBench;
let db: Database;
let artifacts: ArtifactStore;
let bench: LoadingBench;
let world: EvaluationWorld;
let setId: string;
beforeAll(async () => {
  started = await startEvaluationBench();
  ({ db, artifacts, bench, world, setId } = started);
});
afterAll(() => started.close());

describe('metrics of scored predictions', () => {
  it('are the figures that run_cafa_evaluation gives of the same scores', async () => {
    // Scores have three digits: 0.5996 becomes 0.600 and reaches the threshold 0.6; 0.5994 becomes 0.599 and
    // does not.
    const rows: [string, string, number][] = [
      ['N1', termId(12), 0.5996],
      ['N1', termId(13), 0.5994],
      ['N1', termId(21), 0.5996],
      ['K1', termId(3), 0.5996],
      ['K1', termId(5), 0.5994],
      ['L2', termId(21), 0.5994],
    ];
    const predictionSetId = await inTransaction(db, (trx) =>
      addPredictions(trx, { snapshotId: world.snapshotId, rows }),
    );
    const { results, evaluation_result_id } = await bench.run(runCafaEvaluation, {
      evaluation_set_id: setId,
      prediction_set_id: predictionSetId,
      resamples: 0,
    });
    const evaluationSet = (await findEvaluationSet(db, setId))!;
    const set = (await findPredictionSet(db, predictionSetId))!;
    const choices = { scoring_config_id: null, reranker_model_id: null, max_distance: null };
    const source = await scoreSource(choices, set, { db, artifacts, memory: new Memory() });
    const { frame } = (await findEvaluationResult(db, String(evaluation_result_id)))!;
    const { reliability: diagrams } = frame as { reliability: Record<string, Record<string, unknown>> };
    let compared = 0;
    for (const category of ['NK', 'LK', 'PK'] as const) {
      const { aspects } = await scoreMetrics(
        { db, compute: inlineCompute() },
        {
          predictionSetId,
          evaluationSet,
          category,
          scores: (accessions) => source.pages(accessions),
          signal: new AbortController().signal,
        },
      );
      const figures = (results as Record<string, Record<string, Record<string, number | null>>>)[category];
      expect(Object.keys(aspects)).toEqual(Object.keys(figures ?? {}));
      for (const [aspect, { curve, threshold_at_fmax: tau, reliability, ...shown }] of Object.entries(
        aspects,
      )) {
        const { n_proteins } = figures[aspect];
        for (const [name, value] of Object.entries(shown)) {
          expect(value, `${category} ${aspect} ${name}`).toBe(figures[aspect][name]);
          compared++;
        }
        expect(tau).toBe(figures[aspect].tau);
        expect(reliability).toEqual(diagrams[category][aspect]);
        expect(n_proteins).toBeGreaterThan(0);
        // A threshold reads 0.57, not 0.5700000000000001.
        for (const { threshold } of curve) expect(String(threshold)).toMatch(/^0\.\d{1,2}$/);
      }
    }
    expect(compared).toBeGreaterThan(20);
  });
});
