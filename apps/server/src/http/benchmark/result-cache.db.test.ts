import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { ResultCache } from './result-cache.js';

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

it('computes once for callers at once and until its time is over, and keeps no failure', async () => {
  let now = 0;
  let count = 0;
  let broken = true;
  const compute = async () => {
    count++;
    if (broken) throw new Error('broken');
    return count;
  };
  const cache = new ResultCache(db, 10, compute, () => now);
  await expect(cache.get()).rejects.toThrow('broken');
  broken = false;
  expect(await Promise.all([cache.get(), cache.get()])).toEqual([2, 2]);
  now = 9_999;
  expect(await cache.get()).toBe(2);
  now = 10_000;
  expect(await cache.get()).toBe(3);
});
