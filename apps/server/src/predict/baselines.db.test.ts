import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, inTransaction } from '../store/postgres/connection.js';
import { findPredictionSet, predictionSetOfJob } from '../store/predictions/prediction-sets.repository.js';
import { storePredictions } from '../store/predictions/prediction-writer.js';
import { negatedTerms } from '../store/references/reference-bank.repository.js';
import { inlineCompute } from '../testing/inline-compute.js';
import type { LoadingBench } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { insertProteins } from '../load/insert-proteins.js';
import { loadGoaAnnotations } from '../load/load-goa-annotations.js';
import { loadOntologySnapshot } from '../load/load-ontology-snapshot.js';
import { predictBaseline } from './predict-baseline.js';
import { rescoreByVotes } from './rescore-by-votes.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
let ids: { ontology_snapshot_id: string; annotation_set_id: string };

/** Function has 3674 > 1 > 2 and 1 > 3; component has 5575 > 4. */
const obo = [
  ['3674', 'molecular_function', []],
  ['1', 'molecular_function', ['3674']],
  ['2', 'molecular_function', ['1']],
  ['3', 'molecular_function', ['1']],
  ['5575', 'cellular_component', []],
  ['4', 'cellular_component', ['5575']],
] as const;
const go = (id: string) => `GO:${id.padStart(7, '0')}`;

/** A and B are relatives: 30 residues, five of them changed. C is unrelated; D has B's sequence. */
const a = 'MKTWYIAKQRQISFVKSHFWRQLEERLGLIEVQ';
const b = 'MKTWYLAKQRQISFVRSHFWRQIEERLGLVEVE';
const c = 'GGGSGGGSPPPPDDDDNNNNTTTTGGGGAAAAG';
const rows = [
  ['A', '2', 'IDA', ''],
  ['A', '4', 'IEA', ''],
  ['B', '3', 'EXP', ''],
  ['B', '2', 'EXP', 'NOT|'],
  ['C', '1', 'IDA', ''],
  ['C', '3', 'IEA', ''],
  ['D', '2', 'ND', ''],
];

beforeAll(async () => {
  world = await startLoadingWorld({ services: { compute: inlineCompute() } });
  ({ db, bench } = world);
  const stanzas = obo.map(
    ([id, space, parents]) =>
      `[Term]\nid: ${go(id)}\nname: n${id}\nnamespace: ${space}\n${parents.map((p) => `is_a: ${go(p)}\n`).join('')}`,
  );
  const obo_url = await write(`format-version: 1.2\ndata-version: small/1\n\n${stanzas.join('\n')}`);
  const { ontology_snapshot_id } = await bench.run(loadOntologySnapshot, { obo_url });
  await bench.run(insertProteins, { fasta_url: await write(`>A\n${a}\n>B\n${b}\n>C\n${c}\n>D\n${b}\n`) });
  const gaf = rows.map(([accession, term, evidence, not]) =>
    [
      'UniProtKB',
      accession,
      accession,
      `${not}enables`,
      go(term),
      'PMID:1',
      evidence,
      '',
      term === '4' ? 'C' : 'F',
      '',
      '',
      'protein',
      'taxon:1',
      '20200101',
      'X',
      '',
      '',
    ].join('\t'),
  );
  const { annotation_set_id } = await bench.run(loadGoaAnnotations, {
    gaf_url: await write(`!gaf-version: 2.2\n${gaf.join('\n')}\n`),
    ontology_snapshot_id,
    source_version: 'one',
  });
  ids = { ontology_snapshot_id, annotation_set_id } as typeof ids;
});
afterAll(() => world.close());

const write = (text: string) => world.write(text);

const predict = (method: string, more = {}, options = {}) =>
  bench.run(predictBaseline, { ...ids, method, ...more }, options);
/** Reads rows of query, term, source, score and evidence, by query and rank. */
async function stored(result: Record<string, unknown>) {
  const set = await findPredictionSet(db, result.prediction_set_id as string);
  const { rows: found } = await sql<Record<string, string | number | null>>`
    select protein_accession, go_id, source_kind, source_id, score, evidence_code, distance, term_rank from go_prediction
    join go_term t on t.id = go_term_id where prediction_set_number = ${set?.number} order by 1, term_rank`.execute(
    db,
  );
  return found.map((row) => [
    row.protein_accession,
    Number(String(row.go_id).slice(3)),
    row.source_id,
    Number(Number(row.score).toFixed(4)),
    row.evidence_code,
  ]);
}

/** Gives the id of a query set of these sequences. */
async function uploaded(sequences: Record<string, string>): Promise<string> {
  const entries = Object.entries(sequences);
  await bench.run(insertProteins, {
    fasta_url: await write(entries.map(([name, text]) => `>of_${name}\n${text}\n`).join('')),
  });
  const { rows } = await sql<{ id: string }>`
    with s as (insert into query_set (name, entry_count) values ('names', ${entries.length}) returning id),
    e as (insert into query_set_entry (query_set_id, position, header, accession, sequence_id)
      select s.id, n.place - 1, n.name, n.name, q.id
      from s, unnest(${entries.map(([name]) => name)}::text[], ${entries.map(([, text]) => text)}::text[])
        with ordinality as n (name, text, place) join sequence q on q.sequence = n.text)
    select id from s`.execute(db);
  return rows[0].id;
}

/**
 * Reads each query, the protein that it is, how it was recognised, and whether another protein has its name.
 */
async function knownIn(result: Record<string, unknown>) {
  const { rows } = await sql<Record<string, unknown>>`
    select q.protein_accession, q.known_accession, q.known_by, q.is_namesake
    from prediction_set_protein q join prediction_set s on s.number = q.prediction_set_number
    where s.id = ${result.prediction_set_id} order by q.protein_accession collate "C"`.execute(db);
  return rows.map((row) => Object.values(row));
}

/** Reads the sources of the terms with their distances, each combination once. */
async function sourcesIn(result: Record<string, unknown>) {
  const set = await findPredictionSet(db, result.prediction_set_id as string);
  const { rows } = await sql<Record<string, unknown>>`
    select distinct source_kind, source_id, distance from go_prediction
    where prediction_set_number = ${set?.number} order by source_kind, source_id`.execute(db);
  return rows.map((row) => Object.values(row));
}

describe('predict_baseline', () => {
  it('says what gave each term, and no distance where none was measured', async () => {
    const query_accessions = ['A'];
    expect(await sourcesIn(await predict('naive', { query_accessions }))).toEqual([['none', null, null]]);
    expect(await sourcesIn(await predict('sequence_similarity', { query_accessions }))).toEqual([
      ['protein', 'B', null],
    ]);
    const own = await predict('non_experimental_annotations', { query_accessions });
    expect(await sourcesIn(own)).toEqual([['own_annotation', 'A', null]]);
    const { rows } = await sql<{ min_distance: number | null }>`
      select distinct min_distance from prediction_set_protein q join prediction_set s on s.number = q.prediction_set_number
      where s.id = ${own.prediction_set_id}`.execute(db);
    expect(rows).toEqual([{ min_distance: null }]);
  });

  it('naive: propagated frequency among those that say anything of the aspect, for every query alike', async () => {
    // In function, A has 2 and 1, B has 3 and 1 (2 is denied), and C has 1 and 3. In component, only A has a
    // term.
    const result = await predict('naive', { query_accessions: ['A', 'D'] });
    const list = [
      [1, 1],
      [4, 1],
      [3, 0.6667],
      [2, 0.3333],
    ];
    expect(await stored(result)).toEqual(
      ['A', 'D'].flatMap((query) => list.map(([term, score]) => [query, term, null, score, null])),
    );
    expect(await findPredictionSet(db, result.prediction_set_id as string)).toMatchObject({
      method: 'naive',
      embedding_config_id: null,
      protein_count: 2,
      query_count: 2,
      prediction_count: 8,
    });
    const few = await predict('naive', { query_accessions: ['A'], minimum_score: 0.5 });
    expect((await stored(few)).map((row) => row[1])).toEqual([1, 4, 3]);
  });

  it('sequence_similarity: terms of relatives by identity, never of the same sequence, within the E-value', async () => {
    const usual = { query_accessions: ['A', 'D', 'C'] };
    const identity = [...a].filter((letter, i) => letter === b[i]).length / a.length;
    const found = await stored(await predict('sequence_similarity', usual));
    const score = Number(identity.toFixed(4));
    expect(found).toEqual([
      ['A', 3, 'B', score, 'EXP'],
      ['D', 2, 'A', score, 'IDA'],
      ['D', 4, 'A', score, 'IEA'],
    ]);
    expect(await stored(await predict('sequence_similarity', { ...usual, expect_value: 1e-30 }))).toEqual([]);
    const own = await stored(await predict('sequence_similarity', { ...usual, include_self: true }));
    expect(own.filter((row) => row[0] === 'A').map((row) => row.slice(1, 4))).toEqual([
      [2, 'A', 1],
      [4, 'A', 1],
      [3, 'B', score],
    ]);
    const one = await predict('sequence_similarity', { ...usual, include_self: true, max_targets: 1 });
    expect((await stored(one)).filter((row) => row[0] === 'A')).toHaveLength(2);
    const other = await stored(
      await predict('sequence_similarity', { ...usual, score_by: 'normalised_score' }),
    );
    expect(other.map((row) => row.slice(0, 3))).toEqual(found.map((row) => row.slice(0, 3)));
    expect(other[0][3]).not.toBe(score);
  });

  it('non_experimental_annotations: what the set says of the query without an experiment', async () => {
    const result = await predict('non_experimental_annotations', { query_accessions: ['A', 'B', 'C', 'D'] });
    expect(await stored(result)).toEqual([
      ['A', 4, 'A', 1, 'IEA'],
      ['C', 3, 'C', 1, 'IEA'],
    ]);
    expect(result).toMatchObject({ queries: 4, predictions: 2, proteins: 4 });
  });

  it.each(['naive', 'sequence_similarity', 'non_experimental_annotations'])(
    '%s: knows a query by its sequence, and ignores and counts the name of another protein',
    async (method) => {
      const query_set_id = await uploaded({ A: c, B: b, C: c.slice(0, -3), mine: a });
      const result = await predict(method, { query_set_id });
      expect(result).toMatchObject({ queries: 4, namesakes: 1 });
      expect(await knownIn(result)).toEqual([
        ['A', 'C', 'sequence', true],
        ['B', 'B', 'accession', false],
        ['C', 'C', 'alignment', false],
        ['mine', 'A', 'sequence', false],
      ]);
      if (method !== 'non_experimental_annotations') return;
      expect(await stored(result)).toEqual([['C', 3, 'C', 1, 'IEA']]);
    },
  );

  it('reads a NOT of an older reference in any case', async () => {
    await sql`update protein_go_annotation set qualifier = 'not|enables' where qualifier like 'NOT%'`.execute(
      db,
    );
    const denied = await sql`select from protein_go_annotation where qualifier = 'not|enables'`.execute(db);
    expect(denied.rows).toHaveLength(1);
    const frequencies = await stored(await predict('naive', { query_accessions: ['A'] }));
    expect(frequencies.find((row) => row[1] === 2)?.[3]).toBe(0.3333);
    const { number } = await db
      .selectFrom('annotation_set')
      .select('number')
      .where('id', '=', ids.annotation_set_id)
      .executeTakeFirstOrThrow();
    expect((await negatedTerms(db, number, ['B'])).map((row) => row.accession)).toEqual(['B']);
    await sql`update protein_go_annotation set qualifier = 'NOT|enables' where qualifier = 'not|enables'`.execute(
      db,
    );
  });

  it('stores each query once when a job runs again, and refuses what is not there', async () => {
    const jobId = crypto.randomUUID();
    const payload = { query_accessions: ['A', 'B'], chunk_size: 1 };
    const first = await predict('naive', payload, { jobId });
    expect(await predict('naive', payload, { jobId })).toEqual(first);
    expect(await stored(first)).toHaveLength(8);
    await expect(predict('naive', { annotation_set_id: crypto.randomUUID() })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(predict('naive', { ontology_snapshot_id: crypto.randomUUID() })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

/**
 * Makes a set of predict_go_terms in which a query with D's (or another's) sequence has the neighbours A
 * (distance 0.2) and C (0.4).
 */
async function neighbourSet(aligned: boolean, { query = 'D', sequenceOf = 'D' } = {}): Promise<string> {
  const set = await inTransaction(db, (trx) =>
    predictionSetOfJob(trx, crypto.randomUUID(), {
      ...ids,
      limit_per_entry: 2,
      protein_count: 1,
      query_count: 1,
      parameters: JSON.stringify({ compute_alignments: aligned }),
    }),
  );
  const { rows: terms } = await sql<{ id: number; go_id: string }>`select id, go_id from go_term`.execute(db);
  const row = (id: string) => terms.find((term) => term.go_id === go(id))?.id as number;
  const { rows: sequences } = await sql<{
    id: number;
  }>`select sequence_id as id from protein where accession = ${sequenceOf}`.execute(db);
  await inTransaction(db, (trx) =>
    storePredictions(trx, {
      setNumber: set.number,
      jsonb: false,
      queries: [{ accession: query, sequence_id: sequences[0].id, taxonomy_id: 7 }],
      sources: ['A', 'C'].map((id) => ({ kind: 'protein', id, taxonomy_id: null })),
      hasFeatures: false,
      texts: { qualifier: [], evidence_code: ['IDA'], taxonomic_relation: [] },
      query: Int32Array.of(0, 0),
      source: Int32Array.of(0, 1),
      columns: {
        go_term_id: Int32Array.of(row('2'), row('1')),
        distance: Float32Array.of(0.2, 0.4),
        score: Float32Array.of(0.9, 0.8),
        term_rank: Int32Array.of(1, 2),
        is_nearest: Uint8Array.of(1, 1),
        evidence_code: Int32Array.of(0, 0),
        qualifier: Uint8Array.of(255, 255),
        ...(aligned && {
          alignment_score_sw: Float32Array.of(150, 10),
          length_query: Int32Array.of(33, 33),
          length_ref: Int32Array.of(33, 33),
        }),
      },
    }),
  );
  return set.id;
}

describe('rescore_by_votes', () => {
  const rescore = (prediction_set_id: string, more = {}) =>
    bench.run(rescoreByVotes, { prediction_set_id, ...more });

  it('by distances: how much closer than the farthest, shrunk to the frequency', async () => {
    const result = await rescore(await neighbourSet(false));
    expect(result).toMatchObject({ weights: 'distance', prior_weight: 0.5, queries: 1 });
    // A weighs 0.4 / 0.2 - 1 = 1, and C weighs nothing: terms of A get (1 + 0.5 f) / 1.5, and the others 0.5
    // f / 1.5.
    expect(await stored(result)).toEqual([
      ['D', 1, 'A', 1, null],
      ['D', 4, null, 1, null],
      ['D', 2, 'A', Number(((1 + 0.5 / 3) / 1.5).toFixed(4)), null],
      ['D', 3, null, Number((1 / 3 / 1.5).toFixed(4)), null],
    ]);
    expect(await sourcesIn(result)).toEqual([
      ['none', null, null],
      ['protein', 'A', 0.2],
    ]);
    expect(await findPredictionSet(db, result.prediction_set_id as string)).toMatchObject({
      method: 'weighted_votes',
      limit_per_entry: 2,
      query_count: 1,
      parameters: { weights: 'distance' },
    });
    const heavier = await rescore(await neighbourSet(false), { prior_weight: 5 });
    expect((await stored(heavier)).find((row) => row[1] === 3)?.[3]).toBeCloseTo(10 / 3 / 6, 3);
  });

  it('by alignments where the set has them, unless distances are chosen', async () => {
    const aligned = await neighbourSet(true);
    const result = await rescore(aligned);
    expect(result).toMatchObject({ weights: 'alignment', prior_weight: 5 });
    const score = (await stored(result)).find((row) => row[1] === 2)?.[3] as number;
    // The bits count above chance: score 150 has an E-value of about 1e-9, and score 10 says almost nothing.
    expect(score).toBeGreaterThan(0.5);
    expect(await rescore(aligned, { weights: 'distance' })).toMatchObject({ weights: 'distance' });
    const high = await rescore(aligned, { minimum_score: 0.9 });
    expect((await stored(high)).every((row) => Number(row[3]) >= 0.9)).toBe(true);
  });

  it('counts what is known of the query as one more neighbour, found by accession or sequence', async () => {
    // C has term 3 without an experiment, and so term 1. A weighs 1. Of three proteins with a function, one
    // has 2 and two have 3.
    const plain = [
      [1, 1],
      [2, (1 + 0.5 / 3) / 1.5],
      [3, 1 / 3 / 1.5],
    ];
    const withOwn = [
      [1, 1],
      [3, (100 + 1 / 3) / 101.5],
      [2, (1 + 0.5 / 3) / 101.5],
    ];
    const functions = async (result: Record<string, unknown>) =>
      (await stored(result)).filter((row) => row[1] !== 4).map((row) => [row[1], row[3]]);
    const rounded = (rows: number[][]) => rows.map(([term, score]) => [term, Number(score.toFixed(4))]);
    for (const query of ['C', 'another name']) {
      const set = await neighbourSet(false, { query, sequenceOf: 'C' });
      expect(new Set(await functions(await rescore(set)))).toEqual(new Set(rounded(plain)));
      const result = await rescore(set, { own_weight: 100 });
      expect(new Set(await functions(result))).toEqual(new Set(rounded(withOwn)));
      expect(await sourcesIn(result)).toContainEqual(['own_annotation', 'C', null]);
      expect(await findPredictionSet(db, result.prediction_set_id as string)).toMatchObject({
        parameters: { own_weight: 100, own_annotation_set_id: ids.annotation_set_id },
      });
    }
    // D has only the annotation that nothing is known, and B, whose sequence is the same, only experimental
    // ones.
    const unknown = await neighbourSet(false);
    expect(await stored(await rescore(unknown, { own_weight: 100 }))).toEqual(
      await stored(await rescore(unknown)),
    );
    await expect(
      rescore(unknown, { own_weight: 1, own_annotation_set_id: crypto.randomUUID() }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses sets without neighbours, and alignments that are not there', async () => {
    const plain = await neighbourSet(false);
    await expect(rescore(plain, { weights: 'alignment' })).rejects.toMatchObject({ code: 'conflict' });
    const naive = (await predict('naive', { query_accessions: ['A'] })).prediction_set_id as string;
    await expect(rescore(naive)).rejects.toMatchObject({ code: 'conflict' });
    await expect(rescore(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });
});
