import { featureSchemaSha } from '@kindred/kernels/features';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rerankerOf } from '../predict/rerankers/registration.js';
import { boosterText } from '../testing/rerankers/booster-text.js';
import { type Database, inTransaction } from '../store/postgres/connection.js';
import { findEvaluationResult } from '../store/evaluation/evaluation-results.repository.js';
import { insertReranker } from '../store/evaluation/rerankers.repository.js';
import { insertScoringConfig } from '../store/evaluation/scoring-configs.repository.js';
import { type EvaluationBench, startEvaluationBench } from '../testing/evaluation-bench.js';
import { addPredictions, type EvaluationWorld, termId } from '../testing/evaluation-world.js';
import type { LoadingBench } from '../testing/loading-context.js';
import { runCafaEvaluation } from './run-cafa-evaluation.js';

let started: EvaluationBench;
let db: Database;
let bench: LoadingBench;
let world: EvaluationWorld;
let setId: string;
let rerankerId: string;
beforeAll(async () => {
  started = await startEvaluationBench();
  ({ db, bench, world, setId } = started);
  const modelBytes = Buffer.from(boosterText());
  const { uri: artifactUri } = await started.artifacts.put('rerankers/r/model.txt', modelBytes);
  const run = { run_id: 'r', dataset: { schema_sha: featureSchemaSha } };
  const row = await rerankerOf(
    { run, specYaml: '{}', modelBytes, artifactUri, name: 'r', datasetId: null, externalSource: null },
    false,
  );
  rerankerId = (await inTransaction(db, (trx) => insertReranker(trx, row)))!.id;
});
afterAll(() => started.close());

const run = (payload: Record<string, unknown>) =>
  bench.run(runCafaEvaluation, { evaluation_set_id: setId, resamples: 20, ia: 'none', ...payload });

/** The formula adds up the booster's two trees: near sources gain 1, and EXP gains 0.5. */
const scoreOf = (distance: number, code: string) =>
  1 / (1 + Math.exp(-((distance <= 0.3 ? 1 : -1) + (code === 'EXP' ? 0.5 : -0.5))));

it('evaluates re-ranker scores as it would a prediction with these scores', async () => {
  const { rows } = await sql<{
    protein: string;
    term: string;
    id: number;
    distance: number;
    aspect: string;
    n: number;
  }>`
    select p.protein_accession as protein, t.go_id as term, t.id, p.distance, t.aspect, p.prediction_set_number as n
    from go_prediction p join go_term t on t.id = p.go_term_id join prediction_set s on s.number = p.prediction_set_number
    where s.id = ${world.predictionSetId} order by p.protein_accession, t.go_id`.execute(db);
  const pairs = rows.map((row, i) => ({ ...row, code: i % 2 === 0 ? 'EXP' : 'IEA' }));
  const without = run({ prediction_set_id: world.predictionSetId, reranker_model_id: rerankerId });
  await expect(without).rejects.toThrow('compute_reranker_features: true');
  await db
    .updateTable('prediction_set')
    .set({ parameters: JSON.stringify({ compute_reranker_features: true }) })
    .where('id', '=', world.predictionSetId)
    .execute();
  for (const { n, protein, id, code } of pairs) {
    await db
      .updateTable('go_prediction')
      .set({ evidence_code: code, source_id: 'REF' })
      .where('prediction_set_number', '=', n)
      .where('protein_accession', '=', protein)
      .where('go_term_id', '=', id)
      .execute();
    await db
      .insertInto('go_prediction_pair_features')
      .values({ prediction_set_number: n, protein_accession: protein, go_term_id: id })
      .execute();
  }
  const byHand = await inTransaction(db, (trx) =>
    addPredictions(trx, {
      snapshotId: world.snapshotId,
      rows: pairs.map(({ protein, term, distance, code }) => [protein, term, scoreOf(distance, code)]),
    }),
  );
  const reranked = await run({ prediction_set_id: world.predictionSetId, reranker_model_id: rerankerId });
  const expected = await run({ prediction_set_id: byHand });
  const own = await run({ prediction_set_id: world.predictionSetId });
  expect(reranked.results).toEqual(expected.results);
  expect(reranked.results).not.toEqual(own.results);
  const stored = await findEvaluationResult(db, reranked.evaluation_result_id as string);
  expect(stored!.options).toMatchObject({ reranker: { reranker_model_id: rerankerId, name: 'r' } });
  const again = await run({ prediction_set_id: world.predictionSetId, reranker_model_id: rerankerId });
  expect(again).toMatchObject({ skipped: true, evaluation_result_id: reranked.evaluation_result_id });
  const absent = '55555555-5555-4555-8555-555555555555';
  await expect(run({ prediction_set_id: byHand, reranker_model_id: absent })).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('evaluates composite scores as it would a prediction with these scores', async () => {
  const { snapshotId } = world;
  const shares: [string, string, number][] = [
    ['N1', termId(12), 0.9],
    ['N1', termId(13), 0.35],
    ['K1', termId(3), 0.55],
    ['K1', termId(5), 0.8],
    ['L2', termId(21), 0.7],
  ];
  const predicted = await inTransaction(db, (trx) =>
    addPredictions(trx, { snapshotId, rows: shares.map(([protein, term]) => [protein, term, 0.5]) }),
  );
  for (const [protein, term, share] of shares)
    await sql`
      update go_prediction set identity_nw = ${share}, distance = ${share > 0.75 ? 1.5 : 0.5}
      where prediction_set_number = (select number from prediction_set where id = ${predicted}) and protein_accession = ${protein}
        and go_term_id = (select id from go_term where go_id = ${term} and ontology_snapshot_id = ${snapshotId})`.execute(
      db,
    );
  const config = (await insertScoringConfig(db, {
    name: 'identity',
    formula: 'linear',
    weights: { identity_nw: 1 },
    evidence_weights: null,
    params: {},
    description: null,
  }))!;
  const chosen = { prediction_set_id: predicted, scoring_config_id: config.id };
  await expect(run(chosen)).rejects.toThrow('compute_alignments: true');
  await db
    .updateTable('prediction_set')
    .set({ parameters: JSON.stringify({ compute_alignments: true }) })
    .where('id', '=', predicted)
    .execute();
  const byHand = async (rows: [string, string, number][]) =>
    (
      await run({
        prediction_set_id: await inTransaction(db, (trx) => addPredictions(trx, { snapshotId, rows })),
      })
    ).results;
  const scored = await run(chosen);
  expect(scored.results).toEqual(await byHand(shares));
  expect(scored.results).not.toEqual((await run({ prediction_set_id: predicted })).results);
  const stored = await findEvaluationResult(db, scored.evaluation_result_id as string);
  expect(stored!.options).toMatchObject({
    scoring_config: { scoring_config_id: config.id, name: 'identity', weights: { identity_nw: 1 } },
  });
  const near = await run({ ...chosen, max_distance: 1 });
  expect(near.results).toEqual(await byHand(shares.filter(([, , share]) => share <= 0.75)));
  const both = { ...chosen, reranker_model_id: rerankerId };
  await expect(run(both)).rejects.toThrow('not both');
  const absent = '55555555-5555-4555-8555-555555555555';
  await expect(run({ ...chosen, scoring_config_id: absent })).rejects.toMatchObject({ code: 'not_found' });
});
