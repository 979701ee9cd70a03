import { aspects } from '@kindred/contracts';
import { evidenceGroups } from '@kindred/kernels/combined';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Memory } from '../../ground/memory.js';
import { createComputePool } from '../../ground/pool/thread-pool.js';
import { explainTerm } from '../../predict/explanations/term-evidence.js';
import { findPredictionSet } from '../../store/predictions/prediction-sets.repository.js';
import { type Database, inTransaction } from '../../store/postgres/connection.js';
import { replaceCurves } from '../../store/evaluation/calibration.repository.js';
import { exampleUrl } from '../../testing/loading-context.js';
import { type ExampleWorkers, startExampleWorkers } from '../../testing/worker/example-workers.js';
import { insertKmerConfig, type WorkerProcesses } from '../../testing/worker/worker-processes.js';

/** A worker process of the product predicts by the neighbours in several embeddings. */
let world: ExampleWorkers;
let db: Database;
let workers: WorkerProcesses;
let common: Record<string, unknown>;
/** The configurations have vectors of all proteins, except `partial`, which lacks a fifth of them. */
let configs: string[];
let partial: string;
const methods: Record<string, Record<string, unknown>> = {
  knn: { method: 'knn', limit_per_entry: 5, compute_alignments: true },
  combined: { method: 'combined', limit_per_entry: 50 },
};

beforeAll(async () => {
  world = await startExampleWorkers(600);
  ({ db, workers } = world);
  const loaded = await sql<{ accession: string }>`select accession from protein order by accession`.execute(
    db,
  );
  await workers.run('insert_proteins', { fasta_url: exampleUrl('queries.fasta') });
  const queries = await sql<{ accession: string }>`
    select accession from protein where accession <> all(${loaded.rows.map((row) => row.accession)}::text[]) order by 1`.execute(
    db,
  );
  const short = (await insertKmerConfig(db, 512)).id;
  configs = [short, world.loaded.embedding_config_id];
  partial = (await insertKmerConfig(db, 2048)).id;
  for (const id of [...configs, partial])
    await workers.run('compute_embeddings', { embedding_config_id: id });
  await sql`delete from sequence_embedding e using embedding_config c
    where c.number = e.embedding_config_number and c.id = ${partial} and e.sequence_id % 5 = 0`.execute(db);
  common = {
    ...world.loaded,
    query_accessions: [
      ...queries.rows.slice(0, 25).map((row) => row.accession),
      ...loaded.rows.slice(0, 5).map((row) => row.accession),
    ],
    batch_size: 16,
  };
});
afterAll(() => world.close());

async function predicted(method: string, [main, ...more]: string[]): Promise<Record<string, unknown>> {
  const job = await workers.run('predict_go_terms', {
    ...common,
    ...methods[method],
    embedding_config_id: main,
    ...(more.length > 0 && { more_embedding_config_ids: more }),
  });
  return job.result;
}

async function rowsOf({ prediction_set_id: id }: Record<string, unknown>): Promise<unknown[]> {
  const { rows } = await sql<{ row: object }>`
    select coalesce(to_jsonb(g) - 'prediction_set_number', '{}') || jsonb_build_object('donors', encode(q.donors, 'hex')) as row
    from prediction_set s join prediction_set_protein q on q.prediction_set_number = s.number
    left join go_prediction g on g.prediction_set_number = s.number and g.protein_accession = q.protein_accession
    where s.id = ${id} order by q.protein_accession, g.term_rank, g.distance, g.source_id`.execute(db);
  return rows.map(({ row }) => row);
}

it.each(Object.keys(methods))('%s: the order of the configurations does not matter', async (method) => {
  const [a, b] = configs;
  const merged = await predicted(method, [a, b]);
  expect(merged).toMatchObject({ embeddings: 2, compared_proteins: 500 });
  const rows = await rowsOf(merged);
  expect(rows.length).toBeGreaterThan(100);
  expect(await rowsOf(await predicted(method, [b, a]))).toEqual(rows);
  expect(await rowsOf(await predicted(method, [a]))).not.toEqual(rows);
});

it.each(Object.keys(methods))('%s: one configuration twice is one', async (method) => {
  const [a] = configs;
  expect(await rowsOf(await predicted(method, [a, a]))).toEqual(await rowsOf(await predicted(method, [a])));
});

it('takes queries and references that have vectors in all configurations', async () => {
  const [a, b] = configs;
  const merged = await predicted('knn', [a, partial, b]);
  const { queries, queries_without_vector, references } = merged as Record<string, number>;
  expect(queries + queries_without_vector).toBe(30);
  expect(queries_without_vector).toBeGreaterThan(0);
  expect(references).toBeGreaterThan(100);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from go_prediction g join prediction_set s on s.number = g.prediction_set_number
    join protein p on p.accession in (g.source_id, g.protein_accession)
    where s.id = ${merged.prediction_set_id} and p.sequence_id % 5 = 0`.execute(db);
  expect(rows[0].count).toBe(0);
  expect(await rowsOf(await predicted('knn', [partial, b, a]))).toEqual(await rowsOf(merged));
});

it('is calibrated by curves of just these configurations, and by no others', async () => {
  const [a, b] = configs;
  const probabilities = async (ids: string[]) => {
    const { prediction_set_id: id } = await predicted('combined', ids);
    const { rows } = await sql<{ probability: number | null; calibrated_on: string | null }>`
      select distinct g.probability, g.calibrated_on from go_prediction g
      join prediction_set s on s.number = g.prediction_set_number where s.id = ${id}`.execute(db);
    return rows;
  };
  // The shipped curves belong to the second configuration alone.
  expect(await probabilities([b, a])).toEqual([{ probability: null, calibrated_on: null }]);
  const bins = [
    { score_from: 0, score_to: 1, probability: 0.5, low: 0.25, high: 0.75, proteins: 100 },
  ] as const;
  const curves = (['combined', 'untrained'] as const).flatMap((method) =>
    aspects.flatMap((aspect) =>
      (['nothing', 'other aspects', 'same aspect'] as const).map((known) => ({
        ...{
          method,
          aspect,
          known,
          bins,
          kingdoms: ['Eukaryota', 'Bacteria'],
          calibration_window: 'old to new',
        },
        ...{ prediction_count: 1, protein_count: 100, evaluation_set_id: a, prediction_set_id: a },
      })),
    ),
  );
  const reference = {
    annotationSetId: common.annotation_set_id as string,
    embeddingConfigIds: [a, b],
    donors: 50,
    evidence: evidenceGroups,
  };
  await inTransaction(db, (trx) => replaceCurves(trx, reference, curves));
  for (const ids of [
    [a, b],
    [b, a],
  ])
    expect(await probabilities(ids)).toContainEqual({ probability: 0.5, calibrated_on: 'old to new' });
  expect(await probabilities([a])).toEqual([{ probability: null, calibrated_on: null }]);
});

it('keeps the configurations and their curves with the set, and explains its scores', async () => {
  const [a] = configs;
  const { prediction_set_id: id } = await predicted('combined', [a, partial]);
  const set = await findPredictionSet(db, id as string);
  expect(set?.parameters).toMatchObject({ more_embedding_config_ids: [partial] });
  const { agreement_curves: curves } = set?.parameters as { agreement_curves: { agreement: number[] }[] };
  expect(curves).toHaveLength(2);
  for (const { agreement } of curves) expect(agreement[0]).toBeGreaterThan(agreement[agreement.length - 1]);
  const { rows } = await sql<{
    protein_accession: string;
    go_id: string;
    score: number;
    probability: number | null;
  }>`
    select g.protein_accession, t.go_id, g.score, g.probability from go_prediction g join go_term t on t.id = g.go_term_id
    where g.prediction_set_number = ${set?.number} and g.source_kind = 'protein' order by g.score desc limit 5`.execute(
    db,
  );
  expect(rows.map(({ probability }) => probability)).toEqual(Array(5).fill(null));
  const compute = createComputePool({ size: 1 });
  const { signal } = new AbortController();
  const context = { db, compute, memory: new Memory(), signal, cacheDir: workers.folder };
  for (const { protein_accession: accession, go_id: goId, score } of rows)
    expect(
      await explainTerm(set as never, { accession, goId, score, alignWith: null }, context),
    ).toMatchObject({ explanation: { score: expect.closeTo(score, 5) } });
  await compute.close();
});
