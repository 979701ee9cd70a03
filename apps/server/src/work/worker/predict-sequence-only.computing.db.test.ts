import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { groupedBy } from '@kindred/kernels/arrays';
import { sequenceAloneData } from '@kindred/kernels/combined';
import { parseFasta } from '@kindred/kernels/formats';
import { ProteinChance } from '@kindred/kernels/network';
import { checkSequence } from '@kindred/kernels/query-check';
import { loadNative, readNetwork } from '@kindred/native';
import { networkFile, shippedNetwork } from '@kindred/testkit/shipped-network';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkFolder } from '../../ground/folders.js';
import type { Database } from '../../store/postgres/db.js';
import { examplesFolder } from '../../testing/loading-context.js';
import { type ExampleWorkers, startExampleWorkers } from '../../testing/worker/example-workers.js';
import type { EndedJob } from '../../testing/worker/harness.js';

/** A worker process answers queries from human proteins, with terms from the sequence alone and without. */
let world: ExampleWorkers;
let db: Database;
let on: EndedJob;
let off: EndedJob;
let onRows: Row[];

interface Row {
  protein_accession: string;
  go_id: string;
  go_term_id: number;
  aspect: string;
  score: number;
  probability: number | null;
  calibrated_on: string | null;
  term_rank: number;
  answer_rank: number | null;
  source_kind: string;
  source_id: string | null;
  supporters: number;
}
interface QueryRow {
  protein_accession: string;
  no_answer: string | null;
  term_count: number;
}

/** The rows come without the number of their set, so that two sets can be compared. */
async function rowsOf(set: string): Promise<Row[]> {
  const { rows } = await sql<Row & { prediction_set_number?: number }>`
    select g.*, t.go_id, t.aspect from go_prediction g join go_term t on t.id = g.go_term_id
    where g.prediction_set_number = (select number from prediction_set where id = ${set})
    order by g.protein_accession, g.term_rank`.execute(db);
  for (const row of rows) delete row.prediction_set_number;
  return rows;
}
async function queriesOf(set: string): Promise<Map<string, QueryRow>> {
  const { rows } = await sql<QueryRow>`
    select protein_accession, no_answer, term_count from prediction_set_protein
    where prediction_set_number = (select number from prediction_set where id = ${set})`.execute(db);
  return new Map(rows.map((row) => [row.protein_accession, row]));
}

/** Proteins of families that the network never saw. */
const proteins = shippedNetwork()
  .cases.map(({ sequence }, i) => [`CASE${i}`, sequence] as const)
  .filter(([, sequence]) => sequence.length >= 100 && checkSequence(sequence) === null);
/** Letters in an order that no protein has, and a protein read backwards. */
const nonsense = {
  UNLIKE: 'WHMCYWPNFHWCMYIWPHNCFWYMHDWCPNIYHWMFCQPWHYNMCIWFHPDYWCNMHQWF',
  BACKWARDS: [...proteins[3][1]].toReversed().join(''),
  UNDERTHIRTY: 'MKWVTFISLLFLFSSAYSRGVFRRDAHK',
};
/** The sample of real proteins: some have a relative among the first human ones, others have none. */
let bare: [name: string, sequence: string][];
let parameters: Record<string, unknown>;

beforeAll(async () => {
  world = await startExampleWorkers(800, { SVC_COMPUTE_THREADS: '2' });
  db = world.db;
  const { workers, loaded } = world;
  const queries = await readFile(join(examplesFolder, 'queries.fasta'), 'utf8');
  const path = join(workers.folder, 'queries.fasta');
  const more = [...proteins, ...Object.entries(nonsense)].map(
    ([name, residues]) => `>${name}\n${residues}\n`,
  );
  await writeFile(path, queries + more.join(''));
  await workers.run('insert_proteins', { fasta_url: pathToFileURL(path).href });
  await workers.run('compute_embeddings', { embedding_config_id: loaded.embedding_config_id });
  bare = parseFasta(queries).map(({ accession, sequence }) => [accession, sequence]);
  const payload = {
    ...{ method: 'combined', ...loaded, limit_per_entry: 50, batch_size: 8 },
    query_accessions: [
      ...proteins.map(([name]) => name),
      ...Object.keys(nonsense),
      ...bare.map(([name]) => name),
    ],
  };
  on = await workers.run('predict_go_terms', { ...payload, sequence_only: true });
  off = await workers.run('predict_go_terms', payload);
  onRows = await rowsOf(on.result.prediction_set_id);
  const { rows } = await sql<{ parameters: Record<string, unknown> }>`
    select parameters from prediction_set where id = ${on.result.prediction_set_id}`.execute(db);
  [{ parameters }] = rows;
});
afterAll(() => world.close());

const isOfSequence = ({ calibrated_on }: Row): boolean => calibrated_on === sequenceAloneData;

describe('with sequence_only', () => {
  it('answers the proteins without a relative that the network tells from noise, and no others', async () => {
    const network = readNetwork(networkFolder, loadNative());
    const chance = ProteinChance.parse(networkFile('chance.bin'));
    const speaks = (sequence: string): boolean => {
      const vector = network.vectorOf(sequence);
      return vector !== null && chance.chance(sequence, vector) >= chance.floor;
    };
    const sequences = new Map([...bare, ...proteins, ...Object.entries(nonsense)]);
    const alone = [...(await queriesOf(off.result.prediction_set_id)).values()]
      .filter(({ no_answer }) => no_answer === 'no_similar_protein')
      .map(({ protein_accession }) => protein_accession);
    expect(alone).toEqual(expect.arrayContaining(['UNLIKE', 'BACKWARDS', 'UNDERTHIRTY']));
    const expected = alone.filter((name) => speaks(sequences.get(name) ?? ''));
    expect(expected.length).toBeGreaterThan(1);
    const answered = new Set(onRows.filter(isOfSequence).map((row) => row.protein_accession));
    expect([...answered].sort()).toEqual(expected.sort());
    for (const name of Object.keys(nonsense)) expect(answered, name).not.toContain(name);
    expect(on.result).toMatchObject({
      sequence_only: expected.length,
      no_answer: { no_similar_protein: alone.length - expected.length },
    });
    const queries = await queriesOf(on.result.prediction_set_id);
    for (const name of alone) {
      expect(queries.get(name)?.no_answer).toBe('no_similar_protein');
      expect(queries.get(name)?.term_count).toBe(
        onRows.filter((row) => row.protein_accession === name).length,
      );
    }
  });

  it('gives processes and components with a probability, ranked, no term below one that implies it', async () => {
    const { rows: edges } = await sql<{ child: number; parent: number }>`
      select child_go_term_id as child, parent_go_term_id as parent from go_term_relationship
      where relation_type = 'is_a'`.execute(db);
    const byProtein = groupedBy(onRows.filter(isOfSequence), (row) => row.protein_accession);
    for (const own of byProtein.values()) {
      expect(own.map((row) => row.term_rank)).toEqual(own.map((_, i) => i + 1));
      expect(own.map((row) => row.answer_rank).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
        own.map((_, i) => i + 1),
      );
      for (const row of own) {
        expect(row).toMatchObject({ source_kind: 'none', source_id: null, supporters: 0 });
        expect(['P', 'C']).toContain(row.aspect);
        expect(row.score).toBe(row.probability);
        expect(row.score).toBeGreaterThanOrEqual(0.1);
      }
      const scores = new Map(own.map((row) => [row.go_term_id, row.score]));
      for (const { child, parent } of edges) {
        const [low, high] = [scores.get(child), scores.get(parent)];
        if (low !== undefined && high !== undefined) expect(high).toBeGreaterThanOrEqual(low);
      }
    }
  });

  it('leaves the other queries as they are without it', async () => {
    const offRows = await rowsOf(off.result.prediction_set_id);
    expect(offRows.some(isOfSequence)).toBe(false);
    expect(new Set(offRows.map((row) => row.protein_accession)).size).toBeGreaterThan(5);
    expect(onRows.filter((row) => !isOfSequence(row))).toEqual(offRows);
    expect(off.result.sequence_only).toBe(0);
  });

  it('says so in the settings of the run, and stays off where the rates were not measured', async () => {
    expect(parameters.sequence_only).toBe(true);
    const chosen = await world.workers.run('predict_go_terms', {
      ...{ method: 'combined', ...world.loaded, limit_per_entry: 50, sequence_only: true },
      ...{ query_accessions: proteins.map(([name]) => name), evidence: ['experimental'] },
    });
    expect(chosen.result.sequence_only).toBe(0);
    expect((await rowsOf(chosen.result.prediction_set_id)).some(isOfSequence)).toBe(false);
    const { rows } = await sql<{ fields: object }>`
      select fields from job_event where job_id = ${chosen.id} and event = 'predict_go_terms.sequence_only'`.execute(
      db,
    );
    expect(rows).toEqual([{ fields: { is_on: false, why_not: expect.stringContaining('measured') } }]);
  });
});
