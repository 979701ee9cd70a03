import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../store/postgres/connection.js';
import { examplesFolder, exampleUrl } from '../../testing/loading-context.js';
import { type ExampleWorkers, startExampleWorkers } from '../../testing/worker/example-workers.js';
import type { EndedJob } from '../../testing/worker/harness.js';
import type { WorkerProcesses } from '../../testing/worker/worker-processes.js';

/** A worker process of the product predicts for the example queries, of 14 organisms, from human proteins. */
let world: ExampleWorkers;
let db: Database;
let workers: WorkerProcesses;

beforeAll(async () => {
  world = await startExampleWorkers(600, { SVC_COMPUTE_THREADS: '2' });
  ({ db, workers } = world);
});
afterAll(() => world.close());

interface Row {
  protein_accession: string;
  query_taxonomy_id: number | null;
  ref_taxonomy_id: number | null;
  taxonomic_lca: number | null;
  taxonomic_distance: number | null;
  taxonomic_common_ancestors: number | null;
  taxonomic_relation: string | null;
}
async function rowsOf(job: EndedJob): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select protein_accession, query_taxonomy_id, ref_taxonomy_id, taxonomic_lca, taxonomic_distance,
           taxonomic_common_ancestors, taxonomic_relation
    from go_prediction g join prediction_set s on s.number = g.prediction_set_number
    where s.id = ${job.result.prediction_set_id}`.execute(db);
  return rows;
}

/** Reads the lineage of a taxon, root first, from the dump by a pattern. */
async function lineages(): Promise<(taxon: number) => number[]> {
  const text = gunzipSync(await readFile(join(examplesFolder, 'nodes.dmp.gz'))).toString('utf8');
  const parent = new Map([...text.matchAll(/^(\d+)\t\|\t(\d+)/gm)].map((m) => [Number(m[1]), Number(m[2])]));
  return (taxon) => {
    const chain = [taxon];
    while (chain[0] !== 1) chain.unshift(parent.get(chain[0]) as number);
    return chain;
  };
}

/** Gives the example queries, and one of them again, without a taxon and with an unknown one. */
async function queries(): Promise<{ url: string; taxonOf: Map<string, number | null> }> {
  const text = await readFile(join(examplesFolder, 'queries.fasta'), 'utf8');
  const first = text.slice(text.indexOf('\n', 0), text.indexOf('>', 1));
  const path = join(workers.folder, 'queries.fasta');
  const extra = `>sp|A0A000|NONE_TEST No taxon${first}>sp|A0A001|ODD_TEST Unknown OS=x OX=999999999${first}`;
  await writeFile(path, text + extra);
  const heads = [...(text + extra).matchAll(/^>..\|(\w+)\|(.*)$/gm)];
  const taxonOf = new Map(
    heads.map(([, accession, rest]) => {
      const taxon = /OX=(\d+)/.exec(rest);
      return [accession, taxon === null ? null : Number(taxon[1])];
    }),
  );
  return { url: pathToFileURL(path).href, taxonOf };
}

it('fills the taxonomic columns when asked to, and refuses to where no taxonomy is loaded', async () => {
  const { url, taxonOf } = await queries();
  await workers.run('insert_proteins', { fasta_url: url });
  await workers.run('compute_embeddings', { embedding_config_id: world.loaded.embedding_config_id });
  for (const table of ['taxonomy', 'taxon', 'taxon_merged'] as const) await db.deleteFrom(table).execute();
  const payload = {
    ...world.loaded,
    query_accessions: [...taxonOf.keys()],
    batch_size: 10,
  };
  const refused = await workers.run(
    'predict_go_terms',
    { ...payload, compute_taxonomy: true },
    { status: 'FAILED' },
  );
  expect(refused).toMatchObject({
    error_code: 'conflict',
    error_message: expect.stringContaining('load_taxonomy'),
  });

  await workers.run('load_taxonomy', {
    nodes_url: exampleUrl('nodes.dmp.gz'),
    names_url: exampleUrl('names.dmp.gz'),
  });
  const plain = await rowsOf(await workers.run('predict_go_terms', payload));
  expect(new Set(plain.map((row) => row.taxonomic_relation))).toEqual(new Set([null]));
  expect(new Set(plain.map((row) => row.taxonomic_common_ancestors))).toEqual(new Set([null]));

  const compared = await workers.run('predict_go_terms', { ...payload, compute_taxonomy: true });
  const rows = await rowsOf(compared);
  expect(compared.result.queries_without_taxon).toBe(2);
  const warned = await db
    .selectFrom('job_event')
    .select(['level', 'fields'])
    .where('event', '=', 'predict_go_terms.queries_without_taxon')
    .execute();
  expect(warned).toMatchObject([{ level: 'warning', fields: { count: 2, examples: ['A0A000', 'A0A001'] } }]);
  expect(rows).toHaveLength(plain.length);
  expect(new Set(rows.map((row) => row.protein_accession))).toEqual(new Set(taxonOf.keys()));
  const lineageOf = await lineages();
  const human = lineageOf(9606);
  for (const row of rows) {
    const taxon = taxonOf.get(row.protein_accession) ?? null;
    expect([row.query_taxonomy_id, row.ref_taxonomy_id]).toEqual([taxon, 9606]);
    if (taxon === null || taxon === 999_999_999) {
      expect(row).toMatchObject({
        taxonomic_lca: null,
        taxonomic_distance: null,
        taxonomic_common_ancestors: null,
        taxonomic_relation: null,
      });
      continue;
    }
    const lineage = lineageOf(taxon);
    const shared = lineage.filter((id) => human.includes(id));
    expect(row).toMatchObject({
      taxonomic_lca: shared.at(-1),
      taxonomic_distance: lineage.length + human.length - 2 * shared.length,
      taxonomic_common_ancestors: shared.length,
    });
  }
  const relations = rows.map((row) => row.taxonomic_relation);
  expect(new Set(relations)).toEqual(new Set(['close', 'intermediate', 'distant', null]));
});
