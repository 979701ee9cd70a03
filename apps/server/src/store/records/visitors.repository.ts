import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

export interface Visit {
  /** The hash has 16 hex characters. */
  visitorHash: string;
  /** The visit happened at this time, ISO 8601. */
  occurredAt: string;
}

export async function insertVisits(db: Queryable, visits: readonly Visit[]): Promise<void> {
  const hashes = visits.map((visit) => visit.visitorHash);
  const times = visits.map((visit) => visit.occurredAt);
  await sql`
    insert into visitor_event (visitor_hash, occurred_at)
    select * from unnest(${hashes}::char(16)[], ${times}::timestamptz[])`.execute(db);
}
