import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { exampleDatabase, type ExampleDatabase } from './test-database.js';

/** The test makes two copies of the world that other tests start from. */
let databases: ExampleDatabase[];
let clones: Database[];
beforeAll(async () => {
  databases = await Promise.all([exampleDatabase(), exampleDatabase()]);
  clones = databases.map(({ url }) => openDatabase(url, 1));
});
afterAll(async () => {
  await Promise.all(clones.map(closeDatabase));
  await Promise.all(databases.map((database) => database.close()));
});

const count = async (db: Database, rows: string): Promise<number> => {
  const found = await db.pool.query(`select count(*)::int as count from ${rows}`);
  return found.rows[0].count;
};

it('has the example set with its vectors, the answered sample and its bank', async () => {
  const [db] = clones;
  expect(await count(db, 'protein')).toBe(4000);
  expect(await count(db, 'protein_go_annotation')).toBe(77_317);
  expect(
    await count(
      db,
      'sequence s left join sequence_embedding e on e.sequence_id = s.id where e.sequence_id is null',
    ),
  ).toBe(0);
  expect(await count(db, 'taxon')).toBeGreaterThan(100);
  expect(await count(db, "job where status <> 'SUCCEEDED'")).toBe(0);
  expect(await count(db, 'prediction_set_protein')).toBe(3);
  expect(await readdir(join(databases[0].dataFolder, 'banks'))).toHaveLength(1);
});

it('is cloned: what one test deletes, another has', async () => {
  const [one, other] = clones;
  await one.pool.query('delete from protein_search; delete from taxon');
  expect(await count(one, 'taxon')).toBe(0);
  expect(await count(other, 'taxon')).toBeGreaterThan(100);
});
