import { isDeepStrictEqual } from 'node:util';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { databaseAddresses, sessionKindOf } from '../../ground/addresses/database.js';
import {
  GuardedClient,
  type GuardedConfig,
  GuardedPool,
  keepPrepared,
  withLossNamed,
} from './guarded-driver.js';
import type { Tables } from './tables.generated.js';
import { type Place, WritableServer } from '../../ground/addresses/writable-server.js';

/**
 * Either of the two handles below serves for reads and for single statements. The type is an interface, so
 * that the sealed handles of db.ts fit it.
 */
export type Queryable = Pick<Kysely<Tables>, QueryMethod>;
type QueryMethod =
  | 'selectFrom'
  | 'insertInto'
  | 'updateTable'
  | 'deleteFrom'
  | 'with'
  | 'destroy'
  | 'getExecutor';
export type Database = Queryable & { readonly pool: Pool };
/**
 * A function that takes this, instead of a Queryable, must run inside a transaction. `client` is for COPY.
 */
export type Transaction = Queryable & { readonly client: Client };

/** The store uses these members of a pool and of a client. */
export type Pool = Pick<
  pg.Pool,
  'query' | 'connect' | 'end' | 'ending' | 'totalCount' | 'idleCount' | 'options'
>;
export type Client = Pick<pg.PoolClient, 'query'>;

const bigintOid = 20;
const timestamptzOid = 1184;

/** Turns `2026-11-21 10:33:00.123456+00` into `2026-11-21T10:33:00.123456Z`; sessions run in UTC. */
function isoTimestamp(text: string): string {
  const [date, time = ''] = text.replace(/\+00(:00)?$/, '').split(' ');
  const [clock, fraction = ''] = time.split('.');
  return `${date}T${clock}.${fraction.padEnd(6, '0')}Z`;
}

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && oid === bigintOid) return Number;
    if (format !== 'binary' && oid === timestamptzOid) return isoTimestamp;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/**
 * The settings let the server notice a client that is gone, and end forgotten transactions so that they
 * release their locks.
 */
const sessionSettings = Object.entries({
  timezone: 'UTC',
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 60_000,
  idle_in_transaction_session_timeout: 900_000,
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/**
 * Opens a pool on `url`, which may name several hosts, one of which takes writes. No connection is made
 * before the first query. Close the pool with `closeDatabase`.
 */
export function openDatabase(url: string, maxConnections = 10): Database {
  const addresses = databaseAddresses(url);
  const config: GuardedConfig = {
    connectionString: addresses[0],
    sessionKind: sessionKindOf(url) ?? undefined,
    types: types as pg.CustomTypesConfig,
    options: sessionSettings,
    connectionTimeoutMillis: 10_000,
    // The setting detects after 20 s a peer that vanished silently while a statement waits for it.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'kindred',
  };
  const servers = addresses.length > 1 ? serversOf(addresses, config) : undefined;
  const pool = new GuardedPool({ ...config, servers, max: maxConnections });
  // A connection that the server closed while idle is replaced at the next query; it must not end the
  // process.
  pool.on('error', () => {});
  // A connection that breaks while in use is handled elsewhere: its query rejects, and the pool drops the
  // connection.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return Object.assign(db, { pool });
}

/** A server that is silent must not hold up the others for longer. */
const askMs = 3000;

/** @param addresses with one host each; only the hosts differ */
function serversOf(addresses: readonly string[], config: GuardedConfig): WritableServer {
  const places = addresses.map((connectionString): Place => {
    const { host, port } = new pg.Client({ connectionString });
    return { host, port };
  });
  return new WritableServer(places, async (place) => {
    const client = Object.assign(new GuardedClient({ ...config, connectionTimeoutMillis: askMs }), place);
    await client.connect();
    try {
      const { rows } = await client.query(
        `select case when pg_is_in_recovery() then 0
           else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`,
      );
      return rows[0].timeline;
    } finally {
      await client.end();
    }
  });
}

const closePatienceMs = 5000;

/**
 * Waits for statements that still run, and cuts their connections after 5 s, because an answer on a silent
 * connection never comes.
 */
export async function closeDatabase(db: Database): Promise<void> {
  const timer = setTimeout(() => cutConnections(db), closePatienceMs);
  try {
    await db.destroy();
    // Kysely does not close a pool that it never used.
    if (!db.pool.ending) await db.pool.end();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Cuts all connections of the pool, also those in use, for a caller that got no answer in time. Their
 * statements reject as on a lost connection; the next ones connect again.
 */
export function cutConnections({ pool }: Database): void {
  (pool as Partial<GuardedPool>).cut?.();
}

/** Rejects when the database does not answer. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.pool.query('select 1');
}

/** A caller that waited so long for a connection has almost reached its limit (connectionTimeoutMillis). */
const overloadedMs = 4000;

/**
 * Returns true while requests ask more of the database than it can answer in time, so another request would
 * wait in vain.
 */
export function isOverloaded({ pool }: Database): boolean {
  const { waitingCount, lastWaitMs } = pool as GuardedPool;
  return waitingCount > 0 && lastWaitMs > overloadedMs;
}

export function connectionsInUse({ pool }: Database): number {
  return pool.totalCount - pool.idleCount;
}

/**
 * Prepares a short statement that requests use again and again: it is built and compiled once, then parsed
 * and planned once by each connection. A statement is unsuitable if its best plan depends on its values, or
 * if its conditions vary.
 *
 * @param build makes it from some values, which must be its parameters, in their order
 */
export function prepared<Values extends readonly unknown[], Row>(
  build: (db: Queryable, ...values: Values) => CompiledQuery<Row>,
): (db: Queryable, ...values: Values) => Promise<Row[]> {
  let text: string | undefined;
  return async (db, ...values) => {
    text ??= compileOnce(build(db, ...values), values);
    const { rows } = await db.getExecutor().executeQuery<Row>(CompiledQuery.raw(text, [...values]));
    return rows;
  };
}

/**
 * Prepares a query whose values come as the text that PostgreSQL writes, for many rows that are only passed
 * on.
 */
export function preparedCells<Values extends readonly unknown[]>(
  build: (db: Queryable, ...values: Values) => CompiledQuery,
): (db: Pick<Database, 'pool'> & Queryable, ...values: Values) => Promise<(string | null)[][]> {
  let text: string | undefined;
  return async (db, ...values) => {
    text ??= compileOnce(build(db, ...values), values);
    const client = await db.pool.connect();
    try {
      const { rows } = await client.query({ text, values: [...values], rowMode: 'array', types: asText });
      return rows;
    } finally {
      client.release();
    }
  };
}

const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

function compileOnce({ sql, parameters }: CompiledQuery, values: readonly unknown[]): string {
  if (!isDeepStrictEqual(parameters, values))
    throw new Error(`the values are not the parameters of ${sql}, in their order`);
  keepPrepared(sql);
  return sql;
}

/** Runs `work` in one transaction: commits when it resolves, rolls back when it throws. */
export async function inTransaction<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(transactionOn(client));
    await client.query('commit');
    return result;
  } catch (error) {
    // The connection itself may be gone; the server then rolls back by itself.
    await client.query('rollback').catch((cause: Error) => {
      broken ??= cause;
    });
    // Streams of COPY reject with their own errors, which are named here, too.
    throw withLossNamed(client, error);
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Gives the transaction of a connection on which one was begun by hand. */
export function transactionOn(client: pg.PoolClient): Transaction {
  const borrowed = { query: client.query.bind(client), release: () => {} };
  const pool = { connect: async () => borrowed, end: async () => {} };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) });
  return Object.assign(db, { client });
}
