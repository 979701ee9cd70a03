import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { insertQuerySet, type NewQueryEntry, queryEntryPages } from './query-sets.repository.js';
import { storeSequences } from './sequences.repository.js';
import { itemsPerTurn } from '../../ground/event-loop.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const letters = 'ACDEFGHIKL';
const sequenceOf = (n: number) => `M${[...String(n)].map((digit) => letters[Number(digit)]).join('')}`;

it('stores a set that takes several turns: in order, each sequence once, the known ones reused', async () => {
  const count = 2 * itemsPerTurn + 17;
  const distinct = itemsPerTurn + 11;
  const entries: NewQueryEntry[] = Array.from({ length: count }, (_, i) => ({
    header: `q${i} é OX=${i}`,
    accession: `q${i}`,
    taxonId: i % 3 === 0 ? null : i,
    sequence: sequenceOf(i % distinct),
  }));
  const known = entries.slice(0, 100).map((entry) => entry.sequence);
  const first = await inTransaction(db, (trx) => storeSequences(trx, known));
  const set = {
    name: 'large',
    description: null,
    owner_user_id: null,
    listed: true,
    visibility: 'link' as const,
    ttlHours: null,
  };
  const { id, entry_count } = await inTransaction(db, (trx) => insertQuerySet(trx, set, entries));
  expect(entry_count).toBe(count);
  const rows = [];
  for await (const page of queryEntryPages(db, id)) rows.push(...page);
  expect(
    rows.map(({ position, accession, header, taxonomy_id, length }) => ({
      position,
      accession,
      header,
      taxonomy_id,
      length,
    })),
  ).toEqual(
    entries.map(({ accession, header, taxonId, sequence }, position) => ({
      position,
      accession,
      header,
      taxonomy_id: taxonId,
      length: sequence.length,
    })),
  );
  const { rows: sequences } = await sql<{ id: number; sequence: string; sequence_md5: string }>`
    select id, sequence, sequence_md5 from sequence`.execute(db);
  expect(sequences).toHaveLength(distinct);
  const byId = new Map(sequences.map((row) => [row.id, row]));
  expect(rows.map((row) => byId.get(row.sequence_id)?.sequence)).toEqual(
    entries.map((entry) => entry.sequence),
  );
  expect(rows.slice(0, 100).map((row) => row.sequence_id)).toEqual(first.ids);
  for (const { sequence, sequence_md5 } of sequences.slice(0, 200))
    expect(sequence_md5).toBe(createHash('md5').update(sequence).digest('hex'));
});
