import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { categoryFeatures, featureColumns, featureFlags, numericFeatures } from '@kindred/kernels/features';
import { checkSequence } from '@kindred/kernels/query-check';
import { sharedData } from '@kindred/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { findProjection } from '../../store/embeddings/embedding-projection.repository.js';
import { type FeaturePage, featurePages } from '../../store/predictions/prediction-features.repository.js';
import { SlowFeatures, type SlowWorld } from '../../testing/slow-features.js';
import {
  slowAnnotations,
  slowHalves,
  slowProteins,
  slowTaxa,
  slowTerms,
  textOf,
} from '../../testing/slow-world.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { insertKmerConfig, WorkerProcesses } from '../../testing/worker/worker-processes.js';

const shared = (...parts: string[]) => sharedData('data', ...parts);
const files = {
  ecoli: shared('ecoli-k12', 'UP000000625_83333.fasta.gz'),
  ecoliGaf: shared('ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz'),
  yeast: shared('yeast', 'yeast_swissprot_2025-10-27.fasta.gz'),
  yeastGaf: shared('yeast', '71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz'),
  obo: shared('ontology', 'go-2022-07-01.obo.gz'),
  nodes: shared('taxonomy', 'nodes.dmp.gz'),
  names: shared('taxonomy', 'names.dmp.gz'),
};
const path = (name: keyof typeof files): string => files[name] as string;

const k = 5;
let database: TestDatabase;
let db: Database;
let workers: WorkerProcesses;

async function written(name: string, text: string): Promise<string> {
  await writeFile(join(workers.folder, name), text);
  return pathToFileURL(join(workers.folder, name)).href;
}

/** Invents vectors for four of five terms: digits of a hash, centred at zero. */
function termVectors(goIds: Iterable<string>): Map<string, number[]> {
  const vectors = new Map<string, number[]>();
  for (const goId of goIds) {
    const digest = createHash('sha256').update(goId).digest();
    if (digest[31] % 5 > 0)
      vectors.set(
        goId,
        Array.from(digest.subarray(0, 12), (byte) => byte / 4 - 32),
      );
  }
  return vectors;
}

/** Loads every `step`th record of both proteomes and their annotations; the queries are E. coli proteins. */
async function load() {
  const ontologyText = await textOf(path('obo'));
  const records = [path('ecoli'), path('yeast')].map(async (file) => {
    const all = (await textOf(file)).split('>').slice(1);
    return all.filter((_, at) => at % 5 === 0).map((record) => `>${record}`);
  });
  const [ecoli, yeast] = await Promise.all(records);
  const fasta = [...ecoli, ...yeast].join('');
  const gaf = (await textOf(path('ecoliGaf'))) + (await textOf(path('yeastGaf'))).replace(/^!.*\n/gm, '');
  const nodes = await textOf(path('nodes'));
  const vectors = [...termVectors(slowTerms(ontologyText).terms.keys())];
  await written('anc2vec.tsv', vectors.map((row) => `${row.flat().join('\t')}\n`).join(''));
  const ontology = await workers.run('load_ontology_snapshot', {
    obo_url: await written('go.obo', ontologyText),
  });
  await workers.run('insert_proteins', { fasta_url: await written('proteins.fasta', fasta) });
  const annotations = await workers.run('load_goa_annotations', {
    gaf_url: await written('rows.gaf', gaf),
    ontology_snapshot_id: ontology.result.ontology_snapshot_id,
    source_version: 'both',
  });
  await workers.run('load_taxonomy', {
    nodes_url: await written('nodes.dmp', nodes),
    names_url: await written('names.dmp', await textOf(path('names'))),
  });
  const configId = (await insertKmerConfig(db)).id;
  await workers.run('compute_embeddings', { embedding_config_id: configId });
  return {
    fasta,
    gaf,
    nodes,
    ontologyText,
    // YkfO (P0DUW0) is among them; with 10 residues it is too short for any prediction.
    queries: slowProteins(ecoli.filter((_, at) => at % 22 === 3).join(''))
      .filter(({ sequence }) => checkSequence(sequence) === null)
      .map(({ accession }) => accession),
    payload: {
      embedding_config_id: configId,
      annotation_set_id: annotations.result.annotation_set_id,
      ontology_snapshot_id: ontology.result.ontology_snapshot_id,
      limit_per_entry: k,
    },
  };
}
let loaded: Awaited<ReturnType<typeof load>>;

const allFlags = Object.fromEntries(featureFlags.map((flag) => [flag, true]));

async function features(options: Record<string, unknown>): Promise<FeaturePage> {
  const job = await workers.run('predict_go_terms', { ...loaded.payload, ...options });
  const { number } = await db
    .selectFrom('prediction_set')
    .select('number')
    .where('id', '=', job.result.prediction_set_id as string)
    .executeTakeFirstOrThrow();
  const pages: FeaturePage[] = [];
  for await (const page of featurePages(db, number)) pages.push(page);
  return joined(pages);
}

function joined(pages: FeaturePage[]): FeaturePage {
  const numbers = numericFeatures.map((name) => [
    name,
    Float32Array.from(pages.flatMap((page) => [...page.numbers[name]])),
  ]);
  const categories = categoryFeatures.map((name) => [name, pages.flatMap((page) => page.categories[name])]);
  return {
    rowCount: pages.reduce((sum, page) => sum + page.rowCount, 0),
    numbers: Object.fromEntries(numbers),
    categories: Object.fromEntries(categories),
    accessions: pages.flatMap((page) => page.accessions),
    goIds: pages.flatMap((page) => page.goIds),
    goNames: pages.flatMap((page) => page.goNames),
    goTermIds: pages.flatMap((page) => page.goTermIds),
    references: pages.flatMap((page) => page.references),
  };
}

async function slowWorld(): Promise<SlowWorld> {
  const ontology = slowTerms(loaded.ontologyText);
  const { rows } = await sql<{ accession: string; embedding: Buffer }>`
    select p.accession, e.embedding from protein p join sequence_embedding e using (sequence_id)`.execute(db);
  const vectors = new Map(rows.map((row) => [row.accession, slowHalves(row.embedding)]));
  const proteins = slowProteins(loaded.fasta).map((protein) => ({
    ...protein,
    vector: vectors.get(protein.accession) as number[],
  }));
  const { number } = await db.selectFrom('embedding_config').select('number').executeTakeFirstOrThrow();
  const projection = await findProjection(db, number);
  if (projection === undefined) throw new Error('no projection');
  const floats = (bytes: Buffer) =>
    Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
  const components = floats(projection.components);
  return {
    proteins: new Map(proteins.map((protein) => [protein.accession, protein])),
    annotations: slowAnnotations(loaded.gaf, ontology, (accession) => vectors.has(accession)),
    terms: ontology.terms,
    taxonParent: slowTaxa(loaded.nodes),
    termVectors: termVectors(ontology.terms.keys()),
    k,
    projection: {
      mean: floats(projection.mean),
      axes: Array.from({ length: projection.axes }, (_, axis) =>
        components.slice(axis * 512, (axis + 1) * 512),
      ),
    },
  };
}

describe.skipIf(Object.values(files).includes(null))('feature rows of E. coli proteins', () => {
  let golden: FeaturePage;
  beforeAll(async () => {
    database = await testDatabase();
    db = openDatabase(database.url, 6);
    workers = await WorkerProcesses.on({ db, url: database.url }, (folder) => ({
      SVC_ANC2VEC_FILE: join(folder, 'anc2vec.tsv'),
    }));
    workers.start();
    loaded = await load();
    golden = await features({ ...allFlags, query_accessions: loaded.queries, batch_size: 16 });
  });
  afterAll(async () => {
    await workers.stop();
    await closeDatabase(db);
    await database.close();
  });

  it('are those of the slow definition, in every column', async () => {
    const slow = new SlowFeatures(await slowWorld());
    const expected = loaded.queries
      .sort()
      .flatMap((accession) =>
        [...slow.rowsOf(accession)]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([term, row]) => ({ accession, term, row })),
      );
    expect(expected.length).toBeGreaterThan(1000);
    expect(golden.accessions).toEqual(expected.map(({ accession }) => accession));
    expect(golden.goIds).toEqual(expected.map(({ term }) => term));
    expect(golden.references).toEqual(expected.map(({ row }) => row.source));
    for (const name of categoryFeatures)
      expect(golden.categories[name], name).toEqual(expected.map(({ row }) => row[name]));
    for (const { name } of featureColumns) {
      if (!numericFeatures.includes(name)) continue;
      const worst = Math.max(
        ...expected.map(({ row }, at) => difference(golden.numbers[name][at], row[name])),
      );
      expect(worst, name).toBeLessThan(2e-6);
    }
    const seen = (name: string) => new Set(golden.numbers[name]).size;
    for (const name of [
      'lineage_ancestor_of_count',
      'tax_voters_same_frac',
      'taxonomic_distance',
      'vote_count',
      'anc2vec_has_emb',
      'anc2vec_neighbor_cos',
      'anc2vec_query_known_cos',
    ])
      expect(seen(name), name).toBeGreaterThan(1);
  });

  it('are the same to the last bit in other batches, in another order, and with four workers', async () => {
    workers.start();
    workers.start();
    workers.start();
    const shuffled = [...loaded.queries].reverse();
    const [first] = shuffled.splice(7, 1);
    shuffled.push(first);
    for (const batch_size of [3, 64]) {
      const other = await features({ ...allFlags, query_accessions: shuffled, batch_size });
      expect(other).toEqual(golden);
    }
    // A query predicted alone has the same rows as among others.
    const alone = await features({ ...allFlags, query_accessions: [first] });
    expect(alone.rowCount).toBeGreaterThan(0);
    const from = golden.accessions.indexOf(first);
    for (const name of numericFeatures)
      expect(alone.numbers[name], name).toEqual(golden.numbers[name].slice(from, from + alone.rowCount));
  });

  it('are null but for the columns whose flags were given', async () => {
    const some = loaded.queries.slice(0, 3);
    for (const flags of [['compute_alignments'], ['compute_taxonomy'], ['compute_reranker_features']]) {
      const page = await features({
        ...Object.fromEntries(flags.map((flag) => [flag, true])),
        query_accessions: some,
      });
      expect(page.rowCount).toBeGreaterThan(0);
      for (const column of featureColumns) {
        const filled = column.flags.every((flag) => flags.includes(flag));
        const values = page.numbers[column.name] ?? page.categories[column.name];
        const isNull = [...values].every((value) => value === null || Number.isNaN(value));
        if (column.name !== 'qualifier') expect(isNull, `${flags} ${column.name}`).toBe(!filled);
      }
    }
    expect((await features({ query_accessions: some })).rowCount).toBe(0);
  });
});

/** Gives the relative difference for numbers above 1; two nulls are equal. */
function difference(found: number, expected: unknown): number {
  if (expected === null || expected === undefined) return Number.isNaN(found) ? 0 : Number.POSITIVE_INFINITY;
  const distance = Math.abs(found - Number(expected)) / Math.max(1, Math.abs(Number(expected)));
  return Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance;
}
