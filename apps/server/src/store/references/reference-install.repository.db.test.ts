import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { fillCatalogue } from '../../testing/tiny-catalogue.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
  type Transaction,
} from '../postgres/connection.js';
import {
  installAnnotations,
  installProteins,
  installSequences,
  installVectors,
  placeVectors,
  stageRows,
  stageVectorIndex,
} from './reference-install.repository.js';

let database: TestDatabase;
let db: Database;
let referenceNumber: number;
let config: number;
let snapshotId: string;
beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 3);
  const catalogue = await fillCatalogue(db);
  const { configId } = catalogue;
  snapshotId = catalogue.snapshotId;
  const { rows } = await sql<{ config: number; reference: number }>`
    with made as (insert into reference (name, version) values ('some', '1') returning number)
    select made.number as reference, (select number from embedding_config where id = ${configId}) as config from made`.execute(
    db,
  );
  [referenceNumber, config] = [rows[0].reference, rows[0].config];
});
afterEach(async () => {
  await closeDatabase(db);
  await database.close();
});

/** The first sequence is that of P00001, which has a vector. */
const sequences = ['MKTAYIAK', 'MWWW'];
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const lines = (rows: (string | number)[][]) =>
  Readable.from([Buffer.from(rows.map((row) => `${row.join('\t')}\n`).join(''))]);
const none = '\\N';
const proteinRow = (accession: string, sequence: string) => [
  ...[accession, accession, none, none, none, none, none, none, none],
  md5(sequence),
];
const halves = (...values: number[]) => Buffer.from(new Uint16Array(values).buffer);
/** Reads the only vector that the tiny catalogue has. */
const storedVector = async () =>
  (await sql<{ embedding: Buffer }>`select embedding from sequence_embedding`.execute(db)).rows[0].embedding;

async function install(trx: Transaction, vectors: Buffer) {
  await stageRows(trx, 'sequences', lines(sequences.map((each) => [md5(each), each])));
  await stageRows(
    trx,
    'proteins',
    lines([proteinRow('P00001', sequences[0]), proteinRow('NEW1', sequences[1])]),
  );
  const added = await installSequences(trx);
  const proteins = await installProteins(trx, referenceNumber);
  const count = await stageVectorIndex(trx, lines(sequences.map((each) => [md5(each), 0, none])));
  const placed = await placeVectors(trx, config, count);
  const block = { first: 0, count, bytesPerVector: vectors.length / count, vectors };
  return { added, proteins, vectors: await installVectors(trx, config, placed, block) };
}

const expected = { added: 1, proteins: { listed: 2, added: 1 } };

it('adds what the catalogue does not have, and keeps and counts vectors that differ', async () => {
  const known = await storedVector();
  const fresh = halves(1, 2, 3, 4);
  await inTransaction(db, async (trx) => {
    expect(await install(trx, Buffer.concat([known, fresh]))).toEqual({
      ...expected,
      vectors: { stored: 1, different: 0 },
    });
  });
  await sql`delete from reference_protein`.execute(db);
  await inTransaction(db, async (trx) => {
    expect(await install(trx, Buffer.concat([halves(9, 9, 9, 9), fresh]))).toEqual({
      added: 0,
      proteins: { listed: 2, added: 0 },
      vectors: { stored: 0, different: 1 },
    });
  });
  expect(await storedVector()).toEqual(known);
});

it('refuses vectors of a sequence that it did not bring', async () => {
  await inTransaction(db, async (trx) => {
    await stageVectorIndex(trx, lines([[md5('MMMM'), 0, none]]));
    await expect(placeVectors(trx, config, 1)).rejects.toThrow('vectors of sequences that it does not have');
  });
});

describe('annotations', () => {
  /** The accessions have the form that a COPY writes; one of them has a character that COPY escapes. */
  const accessions = ['NEW1', 'Ü\\\\1'];
  const stored = (setNumber: number) =>
    sql<{ accession: string; go_id: string; with_from: string | null }>`
      select p.accession, t.go_id, a.with_from from ${sql.table(`protein_go_annotation_s${setNumber}`)} a
      join protein p on p.id = a.protein_id join go_term t on t.id = a.go_term_id order by 1, 2`;

  async function annotate(trx: Transaction, rows: string[][]): Promise<number> {
    await stageRows(trx, 'sequences', lines([[md5('MWWW'), 'MWWW']]));
    await stageRows(trx, 'proteins', lines(accessions.map((each) => proteinRow(each, 'MWWW'))));
    await installSequences(trx);
    await installProteins(trx, referenceNumber);
    return installAnnotations(trx, { setNumber: 7, snapshotId }, lines(rows));
  }

  it('get the ids of their proteins and terms, and keep every letter', async () => {
    await inTransaction(db, async (trx) => {
      const row = (accession: string, term: string, from: string) => [
        accession,
        term,
        none,
        'IDA',
        none,
        none,
        from,
        none,
      ];
      const given = [
        row('NEW1', 'GO:0005488', 'a\\tb\\\\é'),
        row('NEW1', 'GO:0008150', none),
        row(accessions[1], 'GO:0005515', none),
      ];
      expect(await annotate(trx, given)).toBe(3);
      expect((await stored(7).execute(trx)).rows).toEqual([
        { accession: 'NEW1', go_id: 'GO:0005488', with_from: 'a\tb\\é' },
        { accession: 'NEW1', go_id: 'GO:0008150', with_from: null },
        { accession: 'Ü\\1', go_id: 'GO:0005515', with_from: null },
      ]);
    });
  });

  it.each([
    ['a protein', 'P00002', 'GO:0005488'],
    ['a term', 'NEW1', 'GO:9999999'],
  ])('of %s that the pack does not have are refused', async (_, accession, term) => {
    const row = [accession, term, none, 'IDA', none, none, none, none];
    await expect(inTransaction(db, (trx) => annotate(trx, [row]))).rejects.toThrow(
      'annotations of proteins or terms that it does not have',
    );
  });
});

describe('the account of the database', () => {
  it('may write without a check of each key: those listed hold, and checks are on again afterwards', async () => {
    await inTransaction(db, async (trx) => {
      await install(trx, Buffer.concat([await storedVector(), halves(1, 2, 3, 4)]));
      const { rows } = await trx.client.query<{ mode: string }>(
        `select current_setting('session_replication_role') as mode`,
      );
      expect(rows[0].mode).toBe('origin');
    });
    const { rows } = await sql<{ broken: number }>`select count(*) as broken from reference_protein m
      where not exists (select from protein p where p.id = m.protein_id)
        or not exists (select from sequence s where s.id = m.sequence_id)`.execute(db);
    expect(rows[0].broken).toBe(0);
  });

  it('may be one that is not allowed to', async () => {
    const role = `limited_${database.name}`;
    await sql`create role ${sql.id(role)}`.execute(db);
    try {
      await sql`grant select, insert, update, delete on all tables in schema public to ${sql.id(role)}`.execute(
        db,
      );
      await inTransaction(db, async (trx) => {
        await trx.client.query(`set local role "${role}"`);
        const made = await install(trx, Buffer.concat([await storedVector(), halves(1, 2, 3, 4)]));
        expect(made).toEqual({ ...expected, vectors: { stored: 1, different: 0 } });
      });
    } finally {
      await sql`drop owned by ${sql.id(role)}`.execute(db);
      await sql`drop role ${sql.id(role)}`.execute(db);
    }
  });
});

it('keeps rows that are listed from being deleted by others until it is whole', async () => {
  await inTransaction(db, async (trx) => {
    await install(trx, Buffer.concat([await storedVector(), halves(1, 2, 3, 4)]));
    for (const table of ['protein', 'sequence']) {
      const deletion = inTransaction(db, async (other) => {
        await other.client.query(
          `set local lock_timeout = '50ms'; set local session_replication_role = replica`,
        );
        await other.client.query(`delete from ${table}`);
      });
      await expect(deletion, table).rejects.toMatchObject({ code: '55P03' });
    }
  });
});
