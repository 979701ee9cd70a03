import { patience } from '@kindred/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ConnectionLostError } from '../../store/postgres/connection-fault.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import type { Broker } from './broker.js';
import { createEmbeddedBroker } from './embedded.js';

let database: TestDatabase;
let db: Database;
let broker: Broker;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 4);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});
beforeEach(() => {
  broker = createEmbeddedBroker(db, { pollMs: 50 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await broker.close();
  await db.pool.query('truncate broker.message');
});

/** Acknowledges all messages but `kept`, which stays in work until the test ends. */
async function collect(kept = ''): Promise<string[]> {
  const got: string[] = [];
  await broker.consume('svc.jobs', 5, async ({ body }, signal) => {
    got.push(Buffer.from(body).toString());
    if (got.at(-1) === kept) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'ack';
  });
  return got;
}
const send = (text: string) => broker.publish('svc.jobs', [{ body: Buffer.from(text) }]);

it('delivers a message again that was taken on a connection that broke before the answer', async () => {
  const query = db.pool.query.bind(db.pool);
  let lost = 0;
  vi.spyOn(db.pool, 'query').mockImplementation((async (text: string, values: unknown[]) => {
    const result = await query(text, values);
    if (/set locked_by = \$3/.test(text) && result.rows.length > 0 && lost++ === 0)
      throw new ConnectionLostError({ cause: null });
    return result;
  }) as never);
  const got = await collect();
  await send('once');
  await vi.waitUntil(() => got.length > 0, patience);
  expect(lost).toBeGreaterThan(0);
  await vi.waitUntil(async () => (await query('select from broker.message')).rowCount === 0, patience);
  expect(got).toEqual(['once']);
});

it('delivers a message again whose lease ran out, although the taker lives; what is in work is renewed', async () => {
  const got = await collect('kept');
  await send('kept');
  await vi.waitUntil(() => got.length === 1, patience);
  await db.pool.query(`insert into broker.message (queue, body, headers, locked_by, locked_until, deliveries)
    select queue, 'forgotten'::bytea, headers, locked_by, now() - interval '1 second', 1 from broker.message`);
  await vi.waitUntil(() => got.length === 2, patience);
  expect(got).toEqual(['kept', 'forgotten']);
});
