import { Kysely, PostgresDialect, type Transaction as KyselyTransaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.js';

export type Database = Kysely<Tables>;
/** A function that takes this, instead of a Database, must run inside a transaction. */
export type Transaction = KyselyTransaction<Tables>;

const bigintOid = 20;
const timestamptzOid = 1184;

/** `2026-11-21 10:33:00.123456+00` -> `2026-11-21T10:33:00.123456Z`; sessions run in UTC. */
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

export interface Store {
  db: Database;
  /** For COPY and LISTEN, which need a connection of their own. */
  pool: pg.Pool;
  close(): Promise<void>;
}

/** Opens a pool on `url`; no connection is made before the first query. */
export function openStore(url: string, maxConnections = 10): Store {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    types: types as pg.CustomTypesConfig,
    options: '-c timezone=UTC',
    connectionTimeoutMillis: 10_000,
    application_name: 'kindred',
  });
  // A connection that the server closed while idle is replaced at the next query; it must not end the process.
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => db.destroy() };
}
