import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';

/** Counts the sequences, by MD5 and as often as they are given, that have an annotation in the set. */
export async function countAnnotatedSequences(
  db: Queryable,
  annotationSetIds: readonly string[],
  hashes: readonly string[],
): Promise<number> {
  const known = new Set<string>();
  for (const id of annotationSetIds)
    for (const hash of await annotatedSequences(db, id, hashes)) known.add(hash);
  return hashes.filter((hash) => known.has(hash)).length;
}

async function annotatedSequences(
  db: Queryable,
  annotationSetId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const set = await db
    .selectFrom('annotation_set')
    .select('number')
    .where('id', '=', annotationSetId)
    .executeTakeFirst();
  if (set === undefined) return [];
  const { rows } = await sql<{ md5: string }>`
    select asked.md5 from unnest(${[...new Set(hashes)]}::text[]) as asked (md5)
    where exists (
      select 1 from sequence s
      join ${proteinsOfSet(set.number)} p on p.sequence_id = s.id
      join protein_go_annotation a on a.protein_id = p.id and a.annotation_set_number = ${set.number}
      where s.sequence_md5 = asked.md5::char(32))`.execute(db);
  return rows.map(({ md5 }) => md5);
}

/**
 * Reads the seconds of the shortest run, and the seconds per sequence, over the last 20 successes of each job
 * of an annotation.
 */
export async function recentRunTimes(db: Queryable): Promise<{ shortest: number; perSequence: number }[]> {
  const { rows } = await sql<{ shortest: number; per_sequence: number }>`
    select min(seconds)::float8 as shortest, (sum(seconds) / greatest(sum(q.entry_count), 1))::float8 as per_sequence
    from (values ('compute_embeddings'), ('predict_go_terms')) as step (operation)
    cross join lateral (
      select payload ->> 'query_set_id' as query_set_id, extract(epoch from finished_at - started_at) as seconds
      from job where job.operation = step.operation and status = 'SUCCEEDED' and payload ->> 'query_set_id' is not null
      order by created_at desc limit 20) recent
    join query_set q on q.id = recent.query_set_id::uuid
    group by step.operation`.execute(db);
  return rows.map(({ shortest, per_sequence }) => ({ shortest, perSequence: per_sequence }));
}
