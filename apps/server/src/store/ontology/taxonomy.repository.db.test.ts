import { TaxonomyBuilder } from '@kindred/kernels/taxonomy';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { currentTaxonomy, lineagesOf, type NewTaxonomy, replaceTaxonomy } from './taxonomy.repository.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

/** Makes the root and `count` taxa below it, in chains of ten. */
function chains(count: number, contentSha256: string): NewTaxonomy {
  const builder = new TaxonomyBuilder();
  builder.addNode({ id: 1, parentId: 1, rank: 'no rank', line: 1 });
  for (let id = 2; id < count + 2; id++)
    builder.addNode({ id, parentId: id % 10 === 2 ? 1 : id - 1, rank: 'clade', line: id });
  const { taxonomy } = builder.finish();
  return {
    taxonomy,
    nameOf: () => null,
    contentSha256: contentSha256.padEnd(64, '0'),
    files: [],
    rejectedLines: 0,
    jobId: '00000000-0000-4000-8000-000000000000',
  };
}
const count = async () => (await sql<{ n: number }>`select count(*) as n from taxon`.execute(db)).rows[0].n;
const nothing = async () => {};

it('has no taxonomy at first', async () => {
  expect(await currentTaxonomy(db)).toBeUndefined();
  expect(await lineagesOf(db, [1, 2])).toBeNull();
});

it('shows readers the old one until the commit, and keeps it when the writing stops half-way', async () => {
  await inTransaction(db, (trx) => replaceTaxonomy(trx, chains(15, 'a'), nothing));
  const written: number[] = [];
  const half = inTransaction(db, (trx) =>
    replaceTaxonomy(trx, chains(250_000, 'b'), async (rows) => {
      written.push(rows);
      expect(await count()).toBe(16);
      if (rows > 150_000) throw new Error('stopped');
    }),
  );
  await expect(half).rejects.toThrow('stopped');
  expect(written).toEqual([100_000, 200_000]);
  expect(await count()).toBe(16);
  expect((await currentTaxonomy(db))?.content_sha256).toMatch(/^a0/);
});

it('reads the lineages of the asked taxa alone', async () => {
  await inTransaction(db, (trx) => replaceTaxonomy(trx, chains(250_000, 'c'), nothing));
  const part = await lineagesOf(db, [14, 999_999, 203_001]);
  expect([...(part?.taxonomy.arrays.ids ?? [])]).toEqual([
    1,
    ...[12, 13, 14],
    ...Array.from({ length: 10 }, (_, n) => 202_992 + n),
  ]);
  expect(part?.current.content_sha256).toMatch(/^c0/);
});
