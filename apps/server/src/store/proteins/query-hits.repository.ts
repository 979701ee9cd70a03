import { type HitsFile, hitsFile } from '@kindred/contracts/search-hits';
import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';

/** A hit of a query: the target's accession, log10 of the E-value, identity (0 to 1) and bits. */
export type StoredHit = [target: string, logEValue: number, identity: number, bits: number];

/** The hits of an upload, by the accession of the query, the best first. */
export interface QueryHits {
  about: HitsFile;
  ofQuery: ReadonlyMap<string, readonly StoredHit[]>;
}

/** A statement stores the hits of this many queries: a megabyte or two. */
const queriesAtOnce = 200;

export async function insertQueryHits(
  trx: Transaction,
  querySetId: string,
  { about, ofQuery }: QueryHits,
): Promise<void> {
  await trx
    .insertInto('query_set_hit_file')
    .values({ query_set_id: querySetId, about: JSON.stringify(about) })
    .execute();
  const entries = [...ofQuery];
  for (let from = 0; from < entries.length; from += queriesAtOnce) {
    const part = JSON.stringify(Object.fromEntries(entries.slice(from, from + queriesAtOnce)));
    await sql`insert into query_set_hits (query_set_id, accession, hits)
      select ${querySetId}::uuid, key, value from jsonb_each(${part}::jsonb)`.execute(trx);
  }
}

/** Reads what is known of the hits of a query set; undefined if it has none. */
export async function findHitsFile(db: Queryable, querySetId: string): Promise<HitsFile | undefined> {
  const row = await db
    .selectFrom('query_set_hit_file')
    .select('about')
    .where('query_set_id', '=', querySetId)
    .executeTakeFirst();
  return row === undefined ? undefined : hitsFile.parse(row.about);
}

/** Reads the hits of queries; those without a hit are missing. */
export async function hitsOfQueries(
  db: Queryable,
  querySetId: string,
  accessions: readonly string[],
): Promise<Map<string, StoredHit[]>> {
  const rows = await db
    .selectFrom('query_set_hits')
    .select(['accession', 'hits'])
    .where('query_set_id', '=', querySetId)
    .where('accession', '=', sql<string>`any(${[...accessions]}::text[])`)
    .execute();
  return new Map(rows.map(({ accession, hits }) => [accession, hits as unknown as StoredHit[]]));
}

/** Counts the hits of a query set by target. */
export async function targetsOfHits(
  db: Queryable,
  querySetId: string,
): Promise<{ target: string; hits: number }[]> {
  const { rows } = await sql<{ target: string; hits: number }>`
    select hit->>0 as target, count(*)::int as hits
    from query_set_hits q, jsonb_array_elements(q.hits) hit
    where q.query_set_id = ${querySetId}::uuid group by 1 order by 1`.execute(db);
  return rows;
}
