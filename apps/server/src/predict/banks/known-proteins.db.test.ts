import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseFasta } from '@kindred/kernels/formats';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../../ground/memory.js';
import { numberSequences, type ReferenceBank } from '../compute/reference-bank.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/db.js';
import { inlineCompute } from '../../testing/inline-compute.js';
import { examplesFolder } from '../../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { knownProteins } from './known-proteins.js';

let database: TestDatabase;
let db: Database;
/** Two proteins are in the reference, and the third is in none. */
let first: string;
let second: string;
let stranger: string;
let bank: ReferenceBank;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
  const text = gunzipSync(await readFile(join(examplesFolder, 'reference.fasta.gz')));
  [first, second, stranger] = parseFasta(text)
    .map(({ sequence }) => sequence)
    .filter(({ length }) => length > 200 && length < 300);
  // The bank has accessions with their sequences and taxa: "both" is another protein with the first sequence,
  // and "double" is one of another taxon.
  bank = {
    texts: { accessions: ['A', 'B', 'both', 'double'] },
    arrays: {
      ...numberSequences(await idsOf([first, second])),
      referenceSequence: Int32Array.of(0, 1, 0, 0),
      referenceTaxon: Int32Array.of(1, 1, 1, 7),
    },
  } as unknown as ReferenceBank;
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

async function idsOf(sequences: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const sequence of sequences) {
    const { rows } = await sql<{ id: number }>`
      with made as (insert into sequence (sequence, sequence_md5, length) values (${sequence}, md5(${sequence}), ${sequence.length})
        on conflict do nothing returning id)
      select id from made union all select id from sequence where sequence_md5 = md5(${sequence}) limit 1`.execute(
      db,
    );
    ids.push(rows[0].id);
  }
  return ids;
}

async function recognised(accession: string, sequence: string, taxonomy_id: number | null = null) {
  const [sequence_id] = await idsOf([sequence]);
  const context = {
    db,
    compute: inlineCompute(),
    memory: new Memory(),
    signal: new AbortController().signal,
  };
  const [{ protein, isNamesake }] = await knownProteins(
    [{ accession, sequence_id, taxonomy_id }],
    bank,
    context,
  );
  const name = protein === null ? null : bank.texts.accessions[protein.reference];
  return { name, by: protein?.by, likeness: protein?.likeness, isNamesake };
}

describe('a query is a reference protein', () => {
  it('by its name and sequence, or by its sequence under another name, of its taxon if there is one', async () => {
    expect(await recognised('B', second)).toMatchObject({ name: 'B', by: 'accession', likeness: null });
    expect(await recognised('mine', first)).toMatchObject({ name: 'A', by: 'sequence', isNamesake: false });
    expect(await recognised('mine', first, 7)).toMatchObject({ name: 'double', by: 'sequence' });
    expect(await recognised('both', first)).toMatchObject({ name: 'both', by: 'accession' });
  });

  it.each([
    ['an older version', () => `${first.slice(0, 50)}W${first.slice(51)}`],
    ['a fragment', () => first.slice(40, 140)],
    ['an isoform', () => first.slice(0, 60) + first.slice(90)],
    ['a longer one', () => `${stranger.slice(0, 40)}${first}`],
  ])('by its name and an alignment if its sequence is %s', async (_, make) => {
    const { name, by, likeness, isNamesake } = await recognised('A', make());
    expect({ name, by, isNamesake }).toEqual({ name: 'A', by: 'alignment', isNamesake: false });
    expect(likeness?.identity).toBeGreaterThanOrEqual(0.9);
    expect(likeness?.coverage).toBeGreaterThanOrEqual(0.8);
  });

  it.each([
    ['an unrelated one', () => stranger],
    ['the reverse', () => [...first].reverse().join('')],
    ['only in a third the same', () => first.slice(0, 80) + stranger.slice(0, 160)],
  ])('never by its name alone: %s', async (_, make) => {
    expect(await recognised('A', make())).toMatchObject({ name: null, isNamesake: true });
  });

  it('by its sequence where the name is of another protein, and says so', async () => {
    expect(await recognised('B', first)).toMatchObject({ name: 'A', by: 'sequence', isNamesake: true });
  });
});
