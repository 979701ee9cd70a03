import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../../ground/memory.js';
import { explainTerm } from '../../predict/explanations/term-evidence.js';
import { createComputePool } from '../../ground/pool/thread-pool.js';
import { findPredictionSet } from '../../store/predictions/prediction-sets.repository.js';
import type { Database } from '../../store/postgres/db.js';
import { examplesFolder } from '../../testing/loading-context.js';
import { textOf } from '../../testing/slow-world.js';
import { type ExampleWorkers, startExampleWorkers } from '../../testing/worker/example-workers.js';
import { insertKmerConfig, type WorkerProcesses } from '../../testing/worker/worker-processes.js';

/**
 * A choice of sources gives the same result as a set that was loaded from a file with the chosen rows alone.
 */
let world: ExampleWorkers;
let db: Database;
let workers: WorkerProcesses;
let common: Record<string, unknown>;
let snapshotId: string;
/** Each line of the GAF is a list of columns. */
let lines: string[][];
const taxonOf = new Map<string, string>();
const wholeSets = new Map<string, string>();

const sources = ['UniProt', 'InterPro', 'BHF-UCL', 'GO_Central'];
/** The taxa are human, mouse, rat, E. coli, and none. */
const taxa = ['9606', '10090', '10114', '562', ''];
const mammals = new Set(['9606', '10090', '10114']);
const rodents = new Set(['10090', '10114']);

interface Choice {
  payload: Record<string, unknown>;
  keeps: (line: string[]) => boolean;
}
const [accessionColumn, referenceColumn, evidenceColumn, aspectColumn, sourceColumn] = [1, 5, 6, 8, 14];
const experimental = [
  'EXP',
  'IDA',
  'IPI',
  'IMP',
  'IGI',
  'IEP',
  'HTP',
  'HDA',
  'HMP',
  'HGI',
  'HEP',
  'IC',
  'TAS',
];
const taxonOfLine = (line: string[]) => taxonOf.get(line[accessionColumn]) as string;

const choices: Record<string, Choice> = {
  evidence: {
    payload: { evidence: ['experimental', 'signature', 'ISS'] },
    keeps: (line) =>
      [...experimental, 'ISS'].includes(line[evidenceColumn]) ||
      (line[evidenceColumn] === 'IEA' && line[referenceColumn] === 'GO_REF:0000002'),
  },
  sources: {
    payload: { sources: ['UniProt', 'GO_Central'] },
    keeps: (line) => ['UniProt', 'GO_Central'].includes(line[sourceColumn]),
  },
  aspects: {
    payload: { aspects: ['F', 'C'] },
    keeps: (line) => line[aspectColumn] !== 'P',
  },
  source_taxa: {
    payload: { source_taxa: [9347] },
    keeps: (line) => mammals.has(taxonOfLine(line)),
  },
  exclude_taxa: {
    payload: { exclude_taxa: [9989, 562] },
    keeps: (line) => !rodents.has(taxonOfLine(line)) && taxonOfLine(line) !== '562',
  },
};
choices.together = {
  payload: Object.assign({}, ...Object.values(choices).map(({ payload }) => payload)),
  keeps: (line) =>
    Object.values(choices).every((choice) => choice === choices.together || choice.keeps(line)),
};

const methods: Record<string, Record<string, unknown>> = {
  combined: { method: 'combined', limit_per_entry: 20, batch_size: 32 },
  knn: { method: 'knn', limit_per_entry: 5, compute_reranker_features: true },
};

beforeAll(async () => {
  // The world has only the ontology and the taxonomy, because the test's proteins come from more organisms.
  world = await startExampleWorkers(0);
  ({ db, workers } = world);
  await writeInputs();
  snapshotId = world.loaded.ontology_snapshot_id;
  await workers.run('insert_proteins', { fasta_url: urlOf('proteins.fasta') });
  // The dimension is 512, because kmer-1024 has probabilities, which belong to the whole reference.
  const config = (await insertKmerConfig(db, 512)).id;
  await workers.run('compute_embeddings', { embedding_config_id: config });
  common = {
    embedding_config_id: config,
    annotation_set_id: await loaded('all', () => true),
    ontology_snapshot_id: snapshotId,
    query_accessions: [...taxonOf.keys()].slice(0, 5).concat('BARE1', 'BARE2'),
  };
  for (const method of Object.keys(methods)) wholeSets.set(method, await predicted(method, {}));
});
afterAll(() => world.close());

const urlOf = (name: string) => pathToFileURL(join(workers.folder, name)).href;

/**
 * Writes the example with organisms and sources of several kinds, and proteins that share a sequence across
 * organisms.
 */
async function writeInputs(): Promise<void> {
  const reference = await textOf(join(examplesFolder, 'reference.fasta.gz'));
  const records = reference.slice(1).split('\n>').slice(0, 400);
  const proteins = records.map((record, i) => {
    const [header, ...residues] = record.split('\n');
    const accession = header.split(' ')[0].split('|').at(-2) ?? header.split(' ')[0];
    const taxon = taxa[i % taxa.length];
    taxonOf.set(accession, taxon);
    // Every seventh protein has the sequence of the previous one, which belongs to another organism.
    const letters = i % 7 === 6 ? records[i - 1].split('\n').slice(1) : residues;
    return `>${header.replace(/ OX=\d+/, taxon === '' ? '' : ` OX=${taxon}`)}\n${letters.join('\n')}`;
  });
  const queries = (await readFile(join(examplesFolder, 'queries.fasta'), 'utf8')).slice(1).split('\n>');
  const bare = queries
    .slice(0, 2)
    .map((record, i) => `>BARE${i + 1} OX=9606\n${record.split('\n').slice(1).join('\n')}`);
  await writeFile(join(workers.folder, 'proteins.fasta'), `${[...proteins, ...bare].join('\n')}\n`);
  const gaf = await textOf(join(examplesFolder, 'reference.gaf.gz'));
  lines = gaf
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((line) => taxonOf.has(line[accessionColumn]))
    .map((line, i) => line.with(sourceColumn, sources[i % sources.length]));
  // Curators deny some of these annotations, and programs deny others.
  const queried = [...taxonOf.keys()].slice(0, 5);
  const first = (accession: string) => lines.find((line) => line[accessionColumn] === accession) as string[];
  lines.push(
    ...queried.map((accession, i) =>
      first(accession)
        .with(3, 'NOT|enables')
        .with(4, 'GO:0005488')
        .with(evidenceColumn, i % 2 === 0 ? 'IMP' : 'IEA')
        .with(aspectColumn, 'F'),
    ),
  );
}

/** Loads an annotation set of the rows that are kept. */
async function loaded(name: string, keeps: Choice['keeps']): Promise<string> {
  const kept = lines.filter(keeps).map((line) => line.join('\t'));
  await writeFile(join(workers.folder, `${name}.gaf`), `!gaf-version: 2.2\n${kept.join('\n')}\n`);
  const set = await workers.run('load_goa_annotations', {
    gaf_url: urlOf(`${name}.gaf`),
    ontology_snapshot_id: snapshotId,
    source_version: name,
  });
  return set.result.annotation_set_id;
}

async function predicted(method: string, payload: Record<string, unknown>): Promise<string> {
  const job = await workers.run('predict_go_terms', { ...common, ...methods[method], ...payload });
  return job.result.prediction_set_id;
}

/** Reads everything stored about the terms and their queries, apart from numbers of the set itself. */
async function rowsOf(set: string): Promise<unknown[]> {
  const { rows } = await sql<{ row: object }>`
    select coalesce(to_jsonb(g) - 'prediction_set_number', '{}') || jsonb_build_object('known', q.known_accession, 'by', q.known_by,
      'no_answer', q.no_answer, 'donors', encode(q.donors, 'hex')) as row
    from prediction_set s join prediction_set_protein q on q.prediction_set_number = s.number
    left join go_prediction g on g.prediction_set_number = s.number and g.protein_accession = q.protein_accession
    where s.id = ${set}
    order by q.protein_accession, g.term_rank, g.distance, g.source_id`.execute(db);
  return rows.map(({ row }) => row);
}

describe.each(Object.entries(choices))('a choice of %s', (name, { payload, keeps }) => {
  it('gives, row by row, what a set of the chosen rows gives', async () => {
    const annotations = await loaded(name, keeps);
    for (const method of Object.keys(methods)) {
      const chosen = await rowsOf(await predicted(method, payload));
      const slow = await rowsOf(await predicted(method, { annotation_set_id: annotations }));
      expect(chosen.length).toBeGreaterThan(20);
      expect(chosen).toEqual(slow);
      expect(chosen).not.toEqual(await rowsOf(wholeSets.get(method) as string));
    }
  });
});

it('keeps contradictions by chosen rows alone', async () => {
  const contradicted = async (set: string) =>
    (await rowsOf(set)).filter((row) => ((row as { contradiction?: string }).contradiction ?? null) !== null);
  const all = await contradicted(wholeSets.get('combined') as string);
  const electronic = await contradicted(await predicted('combined', { evidence: ['IEA'] }));
  expect(electronic.length).toBeGreaterThan(0);
  expect(all.length).toBeGreaterThan(electronic.length);
});

it('says in the settings of the set what was chosen, and explains scores with it', async () => {
  const { payload } = choices.together;
  const set = await findPredictionSet(db, await predicted('combined', payload));
  expect(set?.parameters).toMatchObject(payload);
  const { rows } = await sql<{ protein_accession: string; go_id: string; score: number }>`
    select g.protein_accession, t.go_id, g.score from go_prediction g join go_term t on t.id = g.go_term_id
    where g.prediction_set_number = ${set?.number} and g.source_kind = 'protein' order by g.score desc limit 3`.execute(
    db,
  );
  const compute = createComputePool({ size: 1 });
  const { signal } = new AbortController();
  const context = { db, compute, memory: new Memory(), signal, cacheDir: workers.folder };
  for (const { protein_accession: accession, go_id: goId, score } of rows)
    expect(
      await explainTerm(set as never, { accession, goId, score, alignWith: null }, context),
    ).toMatchObject({ explanation: { score: expect.closeTo(score, 5) } });
  expect(rows.length).toBeGreaterThan(0);
  await compute.close();
});

it.each([
  [{ sources: ['Nobody'] }, 'No annotation of the reference is left'],
  [{ source_taxa: [999_999] }, 'does not know the taxon 999999'],
])('%j is refused with what to do', async (payload, words) => {
  const full = { ...common, ...methods.combined, ...payload };
  const job = await workers.run('predict_go_terms', full, { status: 'FAILED' });
  expect(job.error_message).toContain(words);
});
