import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** A user without an answer reads which reference was searched. */
export interface SearchedReference {
  name: string;
  protein_count: number;
  /** Most of its proteins belong to these organisms; the most frequent comes first. */
  organisms: string[];
  has_more_organisms: boolean;
}

/** Another reference that is loaded could be searched instead. */
export interface OtherReference {
  annotation_set_id: string;
  name: string;
  protein_count: number;
}

/** The organisms of about this many proteins are counted. They lie evenly among all, because a set is loaded organism by organism. */
const sampled = 2_000;
const namedOrganisms = 3;
const mostOthers = 10;

const nameOfSet = sql<string>`coalesce(
  (select r.name || '@' || r.version from reference r where r.annotation_set_id = s.id), s.source_version)`;

/**
 * Describes the annotation set that a run searched; undefined if it is gone. Proteins whose organism is not recorded count among those of
 * more organisms.
 */
export async function searchedReference(
  db: Queryable,
  annotationSetId: string,
): Promise<SearchedReference | undefined> {
  const { rows: sets } = await sql<{ number: number; name: string; protein_count: number }>`
    select s.number, ${nameOfSet} as name, s.protein_count from annotation_set s where s.id = ${annotationSetId}`.execute(
    db,
  );
  const [set] = sets;
  if (set === undefined) return undefined;
  const { rows } = await sql<{ organism: string | null }>`
    with annotated as not materialized (select protein_id from protein_go_annotation where annotation_set_number = ${set.number}),
    ends as (select min(protein_id) as low, max(protein_id) as high from annotated),
    proteins as (
      select distinct near.protein_id from ends, generate_series(0, ${sampled}) as step, lateral (
        select protein_id from annotated where protein_id >= low + (high - low)::bigint * step / ${sampled}
        order by protein_id limit 1) near)
    select coalesce(p.organism, t.name) as organism
    from proteins join protein p on p.id = proteins.protein_id left join taxon t on t.id = p.taxonomy_id
    group by 1 order by count(*) desc, 1 limit ${namedOrganisms + 2}`.execute(db);
  const organisms = rows.flatMap(({ organism }) => organism ?? []);
  return {
    name: set.name,
    protein_count: set.protein_count,
    organisms: organisms.slice(0, namedOrganisms),
    has_more_organisms: organisms.length > 0 && rows.length > Math.min(organisms.length, namedOrganisms),
  };
}

/** Lists the other complete annotation sets, those with most proteins first; at most ten. */
export async function otherReferences(db: Queryable, searched: readonly string[]): Promise<OtherReference[]> {
  const { rows } = await sql<OtherReference>`
    select s.id as annotation_set_id, ${nameOfSet} as name, s.protein_count from annotation_set s
    where s.state = 'complete' and s.id <> all(${[...searched]}::uuid[])
    order by s.protein_count desc, ${nameOfSet} collate "C", s.id limit ${mostOthers}`.execute(db);
  return rows;
}
