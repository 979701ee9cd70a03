import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { to as copyTo } from 'pg-copy-streams';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../run/embedded/postgres.js';
import { copyIn } from '../maintenance/database-copy.repository.js';
import { BinaryRows, copyBinaryRows, copyRowsWhileWriting } from './binary-copy.js';
import { connectionFaultOf } from './connection-fault.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from './connection.js';

// The tests kill this server, so they share it with nobody.
let folder: string;
let server: EmbeddedPostgres;
let db: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-fault-'));
  server = await startEmbeddedPostgres(join(folder, 'postgres'), {
    durability: 'none',
    settings: { shared_buffers: '16MB' },
  });
  db = openDatabase(server.url, 8);
});
afterAll(async () => {
  await closeDatabase(db);
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const faultOf = async (work: Promise<unknown>) =>
  connectionFaultOf(
    await work.then(
      () => null,
      (error) => error,
    ),
  );

/** Resolves when `count` sessions of the pool run a statement. */
async function running(count: number): Promise<void> {
  const own = openDatabase(server.url, 1);
  try {
    for (;;) {
      const { rows } = await sql<{ active: number }>`
        select count(*)::int as active from pg_stat_activity
        where pid <> pg_backend_pid() and query like '%pg_sleep%' and state = 'active'`.execute(own);
      if (rows[0].active >= count) return;
    }
  } finally {
    await closeDatabase(own);
  }
}

it('names a session that the operator ended', async () => {
  // The test uses a separate pool, because the ended connection may still be in it afterwards.
  const own = openDatabase(server.url, 1);
  const sleeping = faultOf(sql`select pg_sleep(60)`.execute(own));
  await running(1);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and query like '%pg_sleep(60)%'`.execute(db);
  expect(await sleeping).toBe('unreachable');
  await closeDatabase(own);
});

async function* endless(begun: () => void): AsyncGenerator<Buffer> {
  for (let n = 0; ; n++) {
    if (n === 1000) begun();
    yield Buffer.from('1\n');
  }
}

it('names two transactions that contend for the same row', async () => {
  await sql`create table tally (n integer); insert into tally values (0)`.execute(db);
  const increment = (afterRead: () => Promise<void>) =>
    inTransaction(db, async (trx) => {
      await sql`set transaction isolation level serializable`.execute(trx);
      const { rows } = await sql<{ n: number }>`select n from tally`.execute(trx);
      await afterRead();
      await sql`update tally set n = ${rows[0].n + 1}`.execute(trx);
    });
  // The inner transaction commits between the outer one's read and its write.
  const second = faultOf(increment(() => increment(async () => {})));
  expect(await second).toBe('contended');
});

it('finds no fault of the connection in a bad statement', async () => {
  expect(await faultOf(sql`select 1/0`.execute(db))).toBeNull();
  expect(await faultOf(sql`select * from nowhere`.execute(db))).toBeNull();
});

it('leaves a server that takes no writes any more, and comes back when it does', async () => {
  const own = openDatabase(server.url, 1);
  const operator = openDatabase(`${server.url}?target_session_attrs=any`, 1);
  const readOnly = async (value: 'on' | 'off') => {
    await operator.pool.query(`alter system set default_transaction_read_only = ${value}`);
    await operator.pool.query('select pg_reload_conf()');
    await vi.waitUntil(async () => {
      const { rows } = await operator.pool.query('show default_transaction_read_only');
      return rows[0].default_transaction_read_only === value;
    }, patience);
  };
  const write = () => sql`create table if not exists written ()`.execute(own);
  await write();
  await readOnly('on');
  // The session noticed the end at its own next turn.
  await vi.waitUntil(async () => (await faultOf(write())) === 'unreachable', patience);
  expect(await faultOf(sql`select 1`.execute(own))).toBe('unreachable');
  expect(await own.pool.query('select 1').catch((error) => error.message)).toMatch(/standby, or set to read/);
  await readOnly('off');
  await write();
  await closeDatabase(own);
  await closeDatabase(operator);
});

it('names a killed server: in a statement, in a transaction, in a COPY, and at the next connection', async () => {
  await sql`create table number (n integer)`.execute(db);
  const inStatement = faultOf(sql`select pg_sleep(60)`.execute(db));
  const inWork = faultOf(
    inTransaction(db, async (trx) => {
      await sql`select pg_sleep(60)`.execute(trx);
    }),
  );
  let copying = () => {};
  const copyStarted = new Promise<void>((resolve) => {
    copying = resolve;
  });
  const inCopy = faultOf(
    inTransaction(db, (trx) =>
      copyRowsWhileWriting(trx, { table: 'number', columns: ['n'] }, 50_000_000, (rows, i) => {
        if (i === 1_000_000) copying();
        rows.row();
        rows.int4(i);
      }),
    ),
  );
  const inCopyOut = faultOf(
    inTransaction(db, async (trx) => {
      const rows = trx.client.query(copyTo('copy (select pg_sleep(60)) to stdout'));
      for await (const row of rows) expect(row).toBeUndefined();
    }),
  );
  let feeding = () => {};
  const feedStarted = new Promise<void>((resolve) => {
    feeding = resolve;
  });
  const inCopyIn = faultOf(
    inTransaction(db, (trx) =>
      copyIn(trx, { name: 'number', columns: ['n'], annotationSet: null }, endless(feeding)),
    ),
  );
  // Errors of the work itself are passed on unchanged.
  class Stopped extends Error {}
  const stopped = inTransaction(db, async (trx) => {
    await sql`select pg_sleep(60)`.execute(trx).catch(() => {
      throw new Stopped();
    });
  }).catch((error) => error);
  const idle = await db.pool.connect();
  await Promise.all([running(4), copyStarted, feedStarted]);
  process.kill(server.pid, 'SIGKILL');
  const faults = await Promise.all([inStatement, inWork, inCopy, inCopyOut, inCopyIn]);
  expect(faults).toEqual(faults.map(() => 'unreachable'));
  expect(await stopped).toBeInstanceOf(Stopped);
  expect(await faultOf(idle.query('select 1'))).toBe('unreachable');
  const rows = new BinaryRows(1);
  expect(await faultOf(copyBinaryRows({ client: idle }, 'number', ['n'], rows))).toBe('unreachable');
  idle.release(true);
  expect(await faultOf(sql`select 1`.execute(db))).toBe('unreachable');
  expect(await faultOf(db.pool.query('select 1'))).toBe('unreachable');
});

it('names a pool that is closed', async () => {
  const closed = openDatabase(server.url, 1);
  await closeDatabase(closed);
  expect(await faultOf(closed.pool.query('select 1'))).toBe('closed');
  expect(await faultOf(sql`select 1`.execute(closed))).toBe('closed');
});
