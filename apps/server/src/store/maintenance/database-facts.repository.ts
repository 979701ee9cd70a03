import { sql } from 'kysely';
import type { Database, Queryable } from '../postgres/connection.js';

export interface DatabaseFacts {
  serverVersion: string;
  sizeBytes: number;
  connections: number;
  maxConnections: number;
  /** This machine's clock is so many seconds ahead of the server's. */
  clockAheadSeconds: number;
}

/** An operator needs these facts about the server. */
export async function databaseFacts(db: Database): Promise<DatabaseFacts> {
  const asked = Date.now();
  const { rows } = await db.pool.query(`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as most,
      extract(epoch from clock_timestamp())::float8 as now`);
  const [{ version, size, connections, most, now }] = rows;
  const here = (asked + Date.now()) / 2000;
  return {
    serverVersion: version,
    sizeBytes: Number(size),
    connections: Number(connections),
    maxConnections: most,
    clockAheadSeconds: here - now,
  };
}

/** Gives the size of the database with its indexes, in bytes. */
export async function databaseBytes(db: Queryable): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(
    db,
  );
  return Number(rows[0].size);
}

/** Returns true if nothing was ever loaded: no ontology, no protein, no embedding configuration. */
export async function nothingLoaded(db: Queryable): Promise<boolean> {
  const rows = await Promise.all([
    db.selectFrom('ontology_snapshot').select('id').limit(1).executeTakeFirst(),
    db.selectFrom('protein').select('id').limit(1).executeTakeFirst(),
    db.selectFrom('embedding_config').select('id').limit(1).executeTakeFirst(),
  ]);
  return rows.every((row) => row === undefined);
}
