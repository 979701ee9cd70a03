import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ExampleWorkers, startExampleWorkers } from '../../testing/worker/example-workers.js';
import { insertNetworkConfig } from '../../testing/worker/worker-processes.js';

/** A worker process of the product computes vectors with the shipped network, stores and searches them. */
let world: ExampleWorkers;
let config: string;
/** A protein of the reference with annotations; the query is a distant copy of it. */
let original: string;

beforeAll(async () => {
  world = await startExampleWorkers(300);
  const { db, workers } = world;
  const { rows } = await sql<{ accession: string; sequence: string }>`
    select p.accession, s.sequence from protein p join sequence s on s.id = p.sequence_id
    where length(s.sequence) between 150 and 400 and exists (
      select from protein_go_annotation a where a.protein_id = p.id)
    order by p.accession limit 1`.execute(db);
  original = rows[0].accession;
  const copy = [...rows[0].sequence].map((letter, i) => (i % 10 === 3 ? 'A' : letter)).join('');
  const file = join(workers.folder, 'queries.fasta');
  await writeFile(file, `>COPY1\n${copy}\n>SHORT1\n${copy.slice(0, 25)}\n`);
  await workers.run('insert_proteins', { fasta_url: pathToFileURL(file).href });
  config = (await insertNetworkConfig(db)).id;
  await workers.run('compute_embeddings', { embedding_config_id: config });
});
afterAll(() => world.close());

it('stores a vector of 512 for every protein', async () => {
  const { rows } = await sql<{ without: number; dimensions: number[] }>`
    select (select count(*)::int from protein p join sequence s on s.id = p.sequence_id where not exists (
        select from sequence_embedding e join embedding_config c on c.number = e.embedding_config_number
        where c.id = ${config} and e.sequence_id = s.id)) as without,
      (select array_agg(distinct dimension) from embedding_config where id = ${config}) as dimensions`.execute(
    world.db,
  );
  expect(rows).toEqual([{ without: 0, dimensions: [512] }]);
});

it('finds the protein that a query is a distant copy of, first', async () => {
  const job = await world.workers.run('predict_go_terms', {
    ...world.loaded,
    embedding_config_id: config,
    query_accessions: ['COPY1', 'SHORT1'],
    method: 'knn',
    limit_per_entry: 1,
  });
  const { rows } = await sql<{ source_id: string; distance: number }>`
    select source_id, distance from go_prediction g
    join prediction_set s on s.number = g.prediction_set_number
    where s.id = ${job.result.prediction_set_id as string} and protein_accession = 'COPY1'
    order by distance limit 1`.execute(world.db);
  expect(rows[0].source_id).toBe(original);
  expect(rows[0].distance).toBeGreaterThan(0);
  expect(rows[0].distance).toBeLessThan(0.5);
});
