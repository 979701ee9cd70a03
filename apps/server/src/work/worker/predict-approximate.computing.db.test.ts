import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../store/postgres/connection.js';
import { findPredictionSet } from '../../store/predictions/prediction-sets.repository.js';
import { exampleUrl } from '../../testing/loading-context.js';
import { type ExampleWorkers, startExampleWorkers } from '../../testing/worker/example-workers.js';
import { type EndedJob, eventNames } from '../../testing/worker/harness.js';
import { insertKmerConfig, type WorkerProcesses } from '../../testing/worker/worker-processes.js';

/**
 * A worker process of the product predicts for the example queries, exactly and through a graph of
 * neighbours.
 */
let world: ExampleWorkers;
let db: Database;
let workers: WorkerProcesses;

beforeAll(async () => {
  world = await startExampleWorkers(1200);
  ({ db, workers } = world);
});
afterAll(() => world.close());

async function rowsOf(job: EndedJob): Promise<unknown[]> {
  const { rows } = await sql`
    select protein_accession, go_term_id, source_id, distance, score
    from go_prediction g join prediction_set s on s.number = g.prediction_set_number
    where s.id = ${job.result.prediction_set_id} order by 1, 2, 3`.execute(db);
  return rows;
}

it('predicts through a graph when asked to, and writes its recall into the result', async () => {
  await workers.run('insert_proteins', { fasta_url: exampleUrl('queries.fasta') });
  // The vectors are shorter than those of the example set, so that their graph is made sooner.
  const embedding_config_id = (await insertKmerConfig(db)).id;
  await workers.run('compute_embeddings', { embedding_config_id });
  const payload = {
    ...world.loaded,
    embedding_config_id,
    batch_size: 128,
  };
  const exact = await workers.run('predict_go_terms', payload);
  expect(exact.result).toMatchObject({ search: 'exact' });
  expect(exact.result).not.toHaveProperty('recall_at_k');

  const wide = await workers.run('predict_go_terms', { ...payload, search: 'hnsw', hnsw_expansion: 4096 });
  expect(wide.result).toMatchObject({
    search: 'hnsw',
    recall_at_k: 1,
    predictions: exact.result.predictions,
  });
  const { queries, recall_sample, recall_neighbours, recall_found } = wide.result as Record<string, number>;
  // All batches are searched, but only a sample of the queries, about 200, is compared.
  expect(queries).toBeGreaterThan(1000);
  expect(recall_sample).toBeGreaterThan(140);
  expect(recall_sample).toBeLessThan(260);
  expect(recall_neighbours).toBe(recall_sample * 3 * 5);
  expect(recall_found).toBe(recall_neighbours);
  expect(await rowsOf(wide)).toEqual(await rowsOf(exact));

  const withDefaults = await workers.run('predict_go_terms', { ...payload, search: 'hnsw' });
  expect(withDefaults.result).toMatchObject({ search: 'hnsw', recall_sample, recall_neighbours });
  expect(withDefaults.result.recall_at_k).toBe(
    (withDefaults.result.recall_found as number) / recall_neighbours,
  );
  expect(withDefaults.result.recall_at_k).toBeGreaterThan(0.8);
  const set = await findPredictionSet(db, withDefaults.result.prediction_set_id as string);
  expect(set?.parameters).toMatchObject({ search: 'hnsw', hnsw_expansion: 128 });

  // The graph is built once and stored next to the bank.
  expect(await eventNames(db, wide.id)).toContain('predict_go_terms.build_graph_done');
  expect(await eventNames(db, withDefaults.id)).not.toContain('predict_go_terms.build_graph');
  const files = await readdir(workers.folder, { recursive: true });
  expect(files.filter((name) => name.includes('.usearch'))).toEqual([
    expect.stringMatching(/banks\/\w+\/vectors\.cosine\.usearch$/),
  ]);
});
