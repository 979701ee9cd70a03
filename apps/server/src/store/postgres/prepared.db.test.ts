import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { fillCatalogue, type TestData } from '../../testing/tiny-catalogue.js';
import { showcaseState } from '../evaluation/benchmark.repository.js';
import { findTerm } from '../ontology/ontology.repository.js';
import { answerOf, overviewOf } from '../predictions/answers.repository.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
  termsOfSet,
} from '../predictions/prediction-sets.repository.js';
import { predictionCells } from '../predictions/predictions.repository.js';
import { findProtein } from '../proteins/proteins.repository.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
  prepared,
  preparedCells,
} from './connection.js';

let database: TestDatabase;
let db: Database;
let data: TestData;
beforeAll(async () => {
  database = await testDatabase();
  // The pool has one connection, so that its statements can be examined.
  db = openDatabase(database.url, 1);
  data = await fillCatalogue(db);
  await sql`create table thing (id integer, name text)`.execute(db);
  await sql`insert into thing values (1, 'one'), (2, 'two')`.execute(db);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

interface Thing {
  id: number;
  name: string;
}
const thingOf = prepared((on, id: number) => sql<Thing>`select * from thing where id = ${id}`.compile(on));
const kept = async () =>
  (
    await sql<{ statement: string; generic_plans: number; custom_plans: number }>`
      select statement, generic_plans::int, custom_plans::int from pg_prepared_statements`.execute(db)
  ).rows;

it('gives rows by values, as text where that is wanted, and keeps the statement on the connection', async () => {
  const cellsOf = preparedCells((on, id: number) =>
    sql`select id, name, null from thing where id = ${id}`.compile(on),
  );
  expect(await thingOf(db, 1)).toEqual([{ id: 1, name: 'one' }]);
  expect(await thingOf(db, 2)).toEqual([{ id: 2, name: 'two' }]);
  expect(await cellsOf(db, 2)).toEqual([['2', 'two', null]]);
  const statements = (await kept()).map(({ statement }) => statement);
  expect(statements).toEqual([expect.stringContaining('select *'), expect.stringContaining('null')]);
  expect(await inTransaction(db, (trx) => thingOf(trx, 1))).toEqual([{ id: 1, name: 'one' }]);
  expect((await kept()).length).toBe(2);
});

it('goes on when a migration changes its rows, but not in the transaction that PostgreSQL then ends', async () => {
  await sql`alter table thing add column size integer`.execute(db);
  const failed = await inTransaction(db, (trx) => thingOf(trx, 1)).catch((error) => error);
  expect(failed.code).toBe('0A000');
  expect(await thingOf(db, 1)).toEqual([{ id: 1, name: 'one', size: null }]);
  expect(await inTransaction(db, (trx) => thingOf(trx, 1))).toHaveLength(1);
  await expect(prepared((on) => sql`select 1 / 0`.compile(on))(db)).rejects.toThrow('division by zero');
});

it('refuses values that are not the parameters in their order', async () => {
  const twice = prepared((on, id: number) => sql`select ${id} + ${id}`.compile(on));
  await expect(twice(db, 1)).rejects.toThrow('not the parameters');
});

it('plans the reads of single things once', async () => {
  for (let time = 0; time < 10; time++) {
    await findProtein(db, 'P00001');
    await findTerm(db, data.snapshotId, 'GO:0003674');
    await showcaseState(db);
    await answerOf(db, data.predictionSetId, 'Q1', { onlyAnswered: true });
    const set = (await findPredictionSet(db, data.predictionSetId)) as NamedPredictionSetRow;
    await predictionCells(db, { number: set.number, terms: termsOfSet(set) }, 'Q1');
    await overviewOf(db, set, { after: null, limit: 50 }, { probability: 0.1, score: 0.2 });
  }
  const reads = (await kept()).filter(({ statement }) => !statement.includes('thing'));
  expect(reads.length).toBeGreaterThan(5);
  // PostgreSQL tries five plans for the values before it uses one for all.
  expect(reads.filter(({ custom_plans: custom }) => custom > 5)).toEqual([]);
});
