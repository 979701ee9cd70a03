import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { returnUnits, takeUnits } from '../store/accounts/quotas.repository.js';
import { testDatabase } from '../testing/test-database.js';
import { ClientHasher } from './client-hash.js';
import { parseRates } from './limits.js';
import { sweepAccounts } from './sweep.js';

let db: Database;
let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 10);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

describe('parseRates', () => {
  it('reads single and joined limits', () => {
    expect(parseRates('10/minute')).toEqual([{ limit: 10, periodSeconds: 60 }]);
    expect(parseRates(' 5/hours ; 2/second')).toEqual([
      { limit: 5, periodSeconds: 3600 },
      { limit: 2, periodSeconds: 1 },
    ]);
    for (const bad of ['', 'ten/minute', '10', '10/week', '10/minute;'])
      expect(() => parseRates(bad)).toThrow(/10\/minute/);
  });
});

describe('takeUnits', () => {
  const allowance = { key: 'k', resource: 'r', limit: 100, periodSeconds: 86_400 };

  it('never grants more than the limit, whoever asks at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => takeUnits(db, allowance, 1 + (i % 3))),
    );
    const granted = answers.reduce((sum, answer, i) => sum + (answer.granted ? 1 + (i % 3) : 0), 0);
    expect(granted).toBeLessThanOrEqual(100);
    expect(granted).toBeGreaterThanOrEqual(98);
    const row = await db.selectFrom('quota').select('count').where('key', '=', 'k').executeTakeFirstOrThrow();
    expect(row.count).toBe(granted);
  });

  it('refuses at once what is larger than the limit, and takes back', async () => {
    const small = { ...allowance, key: 'small', limit: 3 };
    expect(await takeUnits(db, small, 4)).toMatchObject({ granted: false, count: 0 });
    expect(await takeUnits(db, small, 3)).toMatchObject({ granted: true, count: 3 });
    expect((await takeUnits(db, small, 1)).granted).toBe(false);
    await returnUnits(db, small, 1);
    const last = await takeUnits(db, small, 1);
    expect(last.granted).toBe(true);
    expect(last.resetSeconds).toBeGreaterThan(0);
    expect(last.resetSeconds).toBeLessThanOrEqual(86_400);
  });

  it('forgets periods that are over', async () => {
    await db
      .insertInto('quota')
      .values({ key: 'old', resource: 'r', period_start: '2020-01-01T00:00:00Z', count: 1, limit: 1 })
      .execute();
    await sweepAccounts(db);
    expect(await db.selectFrom('quota').selectAll().where('key', '=', 'old').execute()).toEqual([]);
  });
});

describe('ClientHasher', () => {
  it('agrees between processes, keeps one salt, and none of yesterday', async () => {
    await db
      .insertInto('daily_salt')
      .values({ day: '2020-01-01', salt: Buffer.alloc(32) })
      .execute();
    const [one, two] = [new ClientHasher(db), new ClientHasher(db)];
    expect(one.visitorNow('192.0.2.1')).toBeNull();
    const [a, b, c] = await Promise.all([
      one.hash('192.0.2.1'),
      two.hash('192.0.2.1'),
      one.hash('192.0.2.2'),
    ]);
    expect(a).toBe(b);
    expect(one.visitorNow('192.0.2.1')).toBe(a);
    expect(a).not.toBe(c);
    const ofNetwork = await one.hash('2001:db8::1');
    expect(await two.hash('2001:db8::2')).toBe(ofNetwork);
    expect(await one.visitor('2001:db8::2')).not.toBe(ofNetwork);
    expect(a).toMatch(/^[0-9a-f]{16}$/);
    const salts = await db.selectFrom('daily_salt').selectAll().execute();
    expect(salts).toHaveLength(1);
    expect(salts[0].salt.byteLength).toBe(32);
  });
});
