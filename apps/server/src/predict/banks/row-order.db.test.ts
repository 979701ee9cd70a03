import { readFile } from 'node:fs/promises';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { Random } from '@kindred/kernels/arrays';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../../ground/memory.js';
import { insertProteins } from '../../load/insert-proteins.js';
import { loadGoaAnnotations } from '../../load/load-goa-annotations.js';
import { loadOntologySnapshot } from '../../load/load-ontology-snapshot.js';
import type { Database } from '../../store/postgres/connection.js';
import { findPredictionSet } from '../../store/predictions/prediction-sets.repository.js';
import { inlineCompute } from '../../testing/inline-compute.js';
import { startLoadingWorld } from '../../testing/loading-world.js';
import type { BankContext } from './bank-context.js';
import { combinedInput } from './combined-input.js';
import { wholeReference } from './source-choice.js';
import { ensureReferenceBank } from './ensure-reference-bank.js';
import { combinedTask } from '../compute/tasks/combined.js';
import type { ReferenceBank } from '../compute/reference-bank.js';
import type { BankSubject } from './reference-bank-content.js';
import { predictBaseline } from '../predict-baseline.js';

/**
 * The reference has many relatives that are alike: every alignment with the query has the same score, and
 * every vector the same distance. So ties alone decide which relatives are among the best, and each relative
 * has other terms.
 */
const count = 90;
const terms = 40;
const core =
  'MKTWYIAKQRQISFVKSHFWRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKRQTLGQHDFSAGEGLYTHMKALRP';
const accession = (i: number) => `P${String((i * 37) % 1000).padStart(3, '0')}`;
/** Writes whole numbers as residues that align with nothing of the core. */
const tail = (i: number) =>
  'GPGPGPGPGP' + i.toString(2).padStart(8, '0').replaceAll('0', 'G').replaceAll('1', 'P');
const numbers = Array.from({ length: count }, (_, i) => i);
/**
 * The three orders are: as they are, as a pack has them (by digests, so as good as random), and backwards.
 */
const orders = [numbers, new Random(7).shuffle([...numbers]), [...numbers].reverse()];

interface Installation {
  db: Database;
  bank: ReferenceBank;
  vectors: Buffer;
  answers: unknown;
  similar: unknown;
}
let installations: Installation[];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  installations = [];
  for (const order of orders) installations.push(await installed(order));
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const go = (i: number) => `GO:${String(i).padStart(7, '0')}`;
function obo(order: readonly number[]): string {
  const root = '[Term]\nid: GO:0003674\nname: molecular_function\nnamespace: molecular_function\n';
  const chosen = order.filter((i) => i < terms);
  const stanzas = chosen.map(
    (i) =>
      `[Term]\nid: ${go(i + 1)}\nname: n${i + 1}\nnamespace: molecular_function\nis_a: ${i < 2 ? 'GO:0003674' : go(i >> 1)}\n${i > 4 ? `is_a: ${go((i >> 1) - 1)}\n` : ''}`,
  );
  return `format-version: 1.2\ndata-version: small/1\n\n${[...stanzas, root].join('\n')}`;
}
function gafRow(protein: string, term: string, evidence: string): string {
  const columns = [
    'UniProtKB',
    protein,
    protein,
    'enables',
    term,
    'GO_REF:0000002',
    evidence,
    '',
    'F',
    '',
    '',
  ];
  return [...columns, 'protein', 'taxon:1', '20200101', 'X', '', ''].join('\t');
}
const gaf = (order: readonly number[]) =>
  `!gaf-version: 2.2\n${order
    .flatMap((i) => [
      gafRow(accession(i), go(1 + (i % terms)), 'IDA'),
      gafRow(accession(i), go(1 + ((i * 7) % terms)), 'IEA'),
    ])
    .join('\n')}\n`;

async function installed(order: readonly number[]): Promise<Installation> {
  const services = { compute: inlineCompute(), memory: new Memory() };
  const world = await startLoadingWorld({ services });
  closers.push(() => world.close());
  const { db, bench, folder } = world;
  const write = (name: string, text: string) => world.write(text, name);
  const { ontology_snapshot_id } = await bench.run(loadOntologySnapshot, {
    obo_url: await write('go.obo', obo(order)),
  });
  const records = order.map((i) => `>${accession(i)} OX=1\n${core}${tail(i)}\n`);
  // A load stores its rows by digest.
  for (let from = 0; from < count; from += 15) {
    const part = records.slice(from, from + 15).join('');
    await bench.run(insertProteins, { fasta_url: await write(`${from}.fasta`, part) });
  }
  await bench.run(insertProteins, { fasta_url: await write('q.fasta', `>Q\n${core}\n`) });
  const { annotation_set_id } = await bench.run(loadGoaAnnotations, {
    gaf_url: await write('a.gaf', gaf(order)),
    ontology_snapshot_id,
    source_version: 'one',
  });
  const config = await db
    .insertInto('embedding_config')
    .values({
      ...completeRecipe({ model_name: 'tiny', model_backend: 'test' }),
      dimension: 4,
    })
    .returning(['id', 'number', 'model_name'])
    .executeTakeFirstOrThrow();
  await sql`insert into sequence_embedding (embedding_config_number, sequence_id, embedding)
    select ${config.number}, id, ${Buffer.from([0, 60, 0, 0, 0, 60, 0, 0])} from sequence`.execute(db);
  const set = await db
    .selectFrom('annotation_set')
    .select(['id', 'number', 'ontology_snapshot_id'])
    .where('id', '=', annotation_set_id as string)
    .executeTakeFirstOrThrow();
  const subject = { config: { ...config, dimension: 4 }, set };
  const bank = await ensureReferenceBank({ db, ...services }, folder, subject);
  const similar = await bench.run(predictBaseline, {
    ontology_snapshot_id,
    annotation_set_id,
    method: 'sequence_similarity',
    max_targets: 10,
    query_accessions: ['Q'],
  });
  return {
    db,
    bank,
    vectors: await readFile(bank.vectorsFile),
    similar: await storedRows(db, similar.prediction_set_id as string),
    answers: await combinedAnswers({ db, ...services, signal: new AbortController().signal }, bank, subject),
  };
}

async function storedRows(db: Database, id: string) {
  const set = await findPredictionSet(db, id);
  const { rows } = await sql`
    select go_id, source_id, score, term_rank from go_prediction join go_term t on t.id = go_term_id
    where prediction_set_number = ${set?.number} order by term_rank, go_id`.execute(db);
  return rows;
}

/** Gives every number of the answer to the query, with ids of the world instead of ids of the database. */
async function combinedAnswers(context: BankContext, bank: ReferenceBank, { config, set }: BankSubject) {
  const { rows } = await sql<{ sequence_id: number; length: number }>`
    select sequence_id, length from protein where accession = 'Q'`.execute(context.db);
  const queries = [{ accession: 'Q', taxonomy_id: 1, ...rows[0] }];
  const subject = { queries, bank, config, set, merging: null };
  const { input } = await combinedInput(
    subject,
    { k: 10, sources: wholeReference, aspect: null, sequenceOnly: false },
    context,
  );
  const found = await context.compute.run(combinedTask, input, { signal: context.signal });
  return {
    ...found,
    term: Array.from(found.term, (term) => bank.texts.goIds[term]),
    reference: Array.from(found.reference, (reference) => bank.texts.accessions[reference] ?? null),
  };
}

describe('a reference whose rows came in another order', () => {
  it('has the same bank, apart from the ids of the database', () => {
    const [first, ...others] = installations.map(({ bank, vectors }) => {
      const { sequenceIds, sequencesById, termRowId, kindSet, qualifier, ...arrays } = bank.arrays;
      const { kinds, kindSets, qualifiers, ...texts } = bank.texts;
      expect(sequenceIds).toHaveLength(count);
      expect(sequencesById).toHaveLength(count);
      expect(termRowId).toHaveLength(terms + 1);
      // Kinds of rows and qualifiers are numbered in order of appearance, so the test compares what the
      // numbers stand for.
      const rows = Array.from(kindSet, (one) => kindSets[one].map((kind) => kinds[kind]));
      const named = Array.from(qualifier, (one) => qualifiers[one] ?? null);
      return { arrays, texts, rows, named, vectors: vectors.toString('base64') };
    });
    for (const other of others) expect(other).toEqual(first);
  });

  it('gives the same answers by the default method', () => {
    const [first, ...others] = installations.map(({ answers }) => answers);
    expect((first as { term: string[] }).term.length).toBeGreaterThan(5);
    for (const other of others) expect(other).toEqual(first);
  });

  it('gives the same answers by similar sequences', () => {
    const [first, ...others] = installations.map(({ similar }) => similar);
    expect((first as unknown[]).length).toBeGreaterThan(5);
    for (const other of others) expect(other).toEqual(first);
  });

  it('ranks relatives of one score by accession', () => {
    const { sources } = installations[1].answers as {
      sources: { aligned: { reference: Int32Array }; near: { reference: Int32Array } }[];
    };
    const { accessions } = installations[1].bank.texts;
    const inOrder = numbers.map(accession).sort().slice(0, 10);
    for (const { reference } of [sources[0].aligned, sources[0].near])
      expect(Array.from(reference, (r) => accessions[r])).toEqual(inOrder);
  });
});
