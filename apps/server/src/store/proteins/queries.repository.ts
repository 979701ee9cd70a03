import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/**
 * The queries of a prediction are entries of a query set by position, or proteins by id. Upper ends are
 * exclusive.
 */
export type QueryRange =
  | { kind: 'entries'; query_set_id: string; from: number; to: number }
  | { kind: 'proteins'; from: number; to: number }
  | { kind: 'accessions'; accessions: string[] };

export interface QueryRow {
  accession: string;
  sequence_id: number;
  taxonomy_id: number | null;
  length: number;
}

function rangeRows(range: QueryRange) {
  switch (range.kind) {
    case 'entries':
      return sql`select q.accession, q.sequence_id, q.taxonomy_id, q.position as place from query_set_entry q
        where q.query_set_id = ${range.query_set_id} and q.position >= ${range.from} and q.position < ${range.to}`;
    case 'proteins':
      return sql`select p.accession, p.sequence_id, p.taxonomy_id, p.id as place from protein p where p.id >= ${range.from} and p.id < ${range.to}`;
    case 'accessions':
      return sql`select p.accession, p.sequence_id, p.taxonomy_id, a.place from protein p
        join unnest(${range.accessions}::text[]) with ordinality a (accession, place) using (accession)`;
  }
}

/** Makes the condition that a sequence has vectors in each of the configurations. */
const hasVectors = (configNumbers: readonly number[]) =>
  sql.join(
    configNumbers.map(
      (number) =>
        sql`exists (select from sequence_embedding e where e.embedding_config_number = ${number} and e.sequence_id = q.sequence_id)`,
    ),
    sql` and `,
  );

/** Reads the queries of the range that have a vector in each of the configurations, in order. */
export async function queriesWithVectors(
  db: Queryable,
  range: QueryRange,
  configNumbers: readonly number[],
): Promise<QueryRow[]> {
  const { rows } = await sql<QueryRow>`
    select q.accession, q.sequence_id, q.taxonomy_id, s.length
    from (${rangeRows(range)}) q join sequence s on s.id = q.sequence_id
    where ${hasVectors(configNumbers)} order by q.place`.execute(db);
  return rows;
}

/** Reads all queries of the range, in order. */
export async function queriesOf(db: Queryable, range: QueryRange): Promise<QueryRow[]> {
  const { rows } = await sql<QueryRow>`
    select q.accession, q.sequence_id, q.taxonomy_id, s.length
    from (${rangeRows(range)}) q join sequence s on s.id = q.sequence_id order by q.place`.execute(db);
  return rows;
}

/**
 * Counts the queries of the range with a vector in each of the configurations and those without, and names up
 * to five of those without.
 */
export async function countQueries(
  db: Queryable,
  range: QueryRange,
  configNumbers: readonly number[],
): Promise<{ ready: number; missing: number; examples: string[] }> {
  const { rows } = await sql<{ ready: number; missing: number; examples: string[] | null }>`
    select count(*) filter (where ready)::int as ready, count(*) filter (where not ready)::int as missing,
           (array_agg(accession order by place) filter (where not ready))[1:5] as examples
    from (select q.accession, q.place, (${hasVectors(configNumbers)}) as ready from (${rangeRows(range)}) q) counted`.execute(
    db,
  );
  return { ready: rows[0].ready, missing: rows[0].missing, examples: rows[0].examples ?? [] };
}

/** Counts the queries of the range that have no taxon in the loaded taxonomy, and names up to five. */
export async function countUnknownTaxa(
  db: Queryable,
  range: QueryRange,
): Promise<{ count: number; examples: string[] }> {
  const { rows } = await sql<{ count: number; examples: string[] | null }>`
    select count(*)::int as count, (array_agg(accession order by place))[1:5] as examples
    from (${rangeRows(range)}) q
    where not exists (select from taxon t where t.id = q.taxonomy_id)
      and not exists (select from taxon_merged m where m.old_id = q.taxonomy_id)`.execute(db);
  return { count: rows[0].count, examples: rows[0].examples ?? [] };
}

/** Cuts all proteins into ranges of `size`, by id. */
export async function proteinRanges(db: Queryable, size: number): Promise<QueryRange[]> {
  const { rows } = await sql<{ first: number; last: number }>`
    select min(id) as first, max(id) as last from (select id, (row_number() over (order by id) - 1) / ${size} as part from protein) numbered
    group by part order by part`.execute(db);
  return rows.map((row) => ({ kind: 'proteins', from: row.first, to: row.last + 1 }));
}

/** Reads the amino acids of the given sequences. */
export async function sequenceTexts(db: Queryable, ids: number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; sequence: string }>`
    select id, sequence from sequence where id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row.sequence]));
}
