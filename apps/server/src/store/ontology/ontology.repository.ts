import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import { prepared, type Queryable, type Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';
import { itemsPerTurn } from '../../ground/event-loop.js';

export type { TermCounts } from '../postgres/column-types.js';

export type OntologySnapshotRow = Selectable<Tables['ontology_snapshot']>;
export type GoTermRow = Selectable<Tables['go_term']>;

/** Lists snapshots, newest first. */
export async function listSnapshots(
  db: Queryable,
  limit: number,
  after?: Cursor,
): Promise<Page<OntologySnapshotRow>> {
  const chosen = db.selectFrom('ontology_snapshot').selectAll();
  return pageOf(db, chosen, { table: 'ontology_snapshot', time: 'loaded_at' }, { limit, after });
}

export async function findSnapshot(db: Queryable, id: string): Promise<OntologySnapshotRow | undefined> {
  return db.selectFrom('ontology_snapshot').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findSnapshotByVersion(
  db: Queryable,
  oboVersion: string,
): Promise<OntologySnapshotRow | undefined> {
  return db
    .selectFrom('ontology_snapshot')
    .selectAll()
    .where('obo_version', '=', oboVersion)
    .executeTakeFirst();
}

/** Sets the address and returns the snapshot; undefined for an unknown id. */
export async function setIaUrl(
  db: Queryable,
  id: string,
  iaUrl: string | null,
): Promise<OntologySnapshotRow | undefined> {
  return db
    .updateTable('ontology_snapshot')
    .set({ ia_url: iaUrl })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Reads all terms by GO id, in pages, so that a reader of 47,000 terms needs no more memory than a page. */
export async function* termPages(
  db: Queryable,
  snapshotId: string,
  pageSize = 2000,
): AsyncGenerator<GoTermRow[]> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('go_term')
      .selectAll()
      .where('ontology_snapshot_id', '=', snapshotId)
      .where('go_id', '>', after)
      .orderBy('go_id')
      .limit(pageSize)
      .execute();
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page[page.length - 1].go_id;
  }
}

export type TermKeyRow = Pick<GoTermRow, 'id' | 'go_id' | 'aspect' | 'is_obsolete'>;

/** Reads all terms by GO id without their texts, as a load of annotations needs them. */
export async function termKeys(db: Queryable, snapshotId: string): Promise<TermKeyRow[]> {
  const keys: TermKeyRow[] = [];
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('go_term')
      .select(['id', 'go_id', 'aspect', 'is_obsolete'])
      .where('ontology_snapshot_id', '=', snapshotId)
      .where('go_id', '>', after)
      .orderBy('go_id')
      .limit(itemsPerTurn)
      .execute();
    for (const row of page) keys.push(row);
    if (page.length < itemsPerTurn) return keys;
    after = page[page.length - 1].go_id;
  }
}

/**
 * Gives the rows of terms in another snapshot, by their rows anywhere; terms that are obsolete or absent
 * there are missing.
 */
export async function liveTermsIn(
  db: Queryable,
  snapshotId: string,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; there: number }>`
    select t.id, o.id as there from go_term t
    join go_term o on o.ontology_snapshot_id = ${snapshotId}::uuid and o.go_id = t.go_id and not o.is_obsolete
    where t.id = any(${ids}::int[])`.execute(db);
  return new Map(rows.map(({ id, there }) => [id, there]));
}

export interface AltIdRow {
  alt_id: string;
  go_term_id: number;
}

export async function altIds(db: Queryable, snapshotId: string): Promise<AltIdRow[]> {
  return db
    .selectFrom('go_term_alt_id')
    .select(['alt_id', 'go_term_id'])
    .where('ontology_snapshot_id', '=', snapshotId)
    .execute();
}

/** Finds the GO ids of the term and of all live terms below it, over is_a; empty if the snapshot lacks it. */
export async function termsBelow(db: Queryable, snapshotId: string, goId: string): Promise<string[]> {
  const { rows } = await sql<{ go_id: string }>`
    with recursive below (id) as (
      select id from go_term where ontology_snapshot_id = ${snapshotId} and go_id = ${goId}
      union
      select r.child_go_term_id from below b join go_term_relationship r on r.parent_go_term_id = b.id
      where r.relation_type = 'is_a')
    select go_id from below join go_term using (id) where not is_obsolete order by go_id`.execute(db);
  return rows.map((row) => row.go_id);
}

export interface RelatedTermRow {
  go_id: string;
  name: string;
  relation_type: string;
}
export interface TermDetailRow extends GoTermRow {
  alternative_ids: string[];
  parents: RelatedTermRow[];
  children: RelatedTermRow[];
}
/** The limit of related terms is more than any term of the Gene Ontology has. */
const maxRelatedTerms = 10_000;

/**
 * Searches the terms of one snapshot, which its index bounds: the exact name comes first, then names that
 * begin with the text, then the shortest.
 */
export async function searchTerms(
  db: Queryable,
  snapshotId: string,
  { search, aspect, limit }: { search: string; aspect?: string; limit: number },
): Promise<GoTermRow[]> {
  const escaped = search.replaceAll(/[\\%_]/g, '\\$&');
  return db
    .selectFrom('go_term')
    .selectAll()
    .where('ontology_snapshot_id', '=', snapshotId)
    .where(sql<boolean>`(name ilike ${`%${escaped}%`} or go_id = upper(${search}))`)
    .$if(aspect !== undefined, (query) => query.where('aspect', '=', aspect as never))
    .orderBy(sql`lower(name) <> lower(${search}) and go_id <> upper(${search})`)
    .orderBy(sql`name not ilike ${`${escaped}%`}`)
    .orderBy(sql`length(name)`)
    .orderBy('go_id')
    .limit(limit)
    .execute();
}

/**
 * Finds a term by its id or by a secondary id, with the terms one edge away; undefined if the snapshot has
 * neither.
 */
export async function findTerm(
  db: Queryable,
  snapshotId: string,
  goId: string,
): Promise<TermDetailRow | undefined> {
  const [term] = await termOf(db, snapshotId, goId);
  return term;
}

const termOf = prepared((db, snapshotId: string, goId: string) =>
  sql<TermDetailRow>`
    select t.*,
      array(select i.alt_id from go_term_alt_id i
        where i.go_term_id = t.id and i.ontology_snapshot_id = asked.snapshot order by i.alt_id) as alternative_ids,
      ${relatedTerms('child_go_term_id', 'parent_go_term_id')} as parents,
      ${relatedTerms('parent_go_term_id', 'child_go_term_id')} as children
    from (select ${snapshotId}::uuid as snapshot, ${goId}::text as go_id) asked
    join go_term t on t.id = coalesce(
      (select o.id from go_term o where o.ontology_snapshot_id = asked.snapshot and o.go_id = asked.go_id),
      (select i.go_term_id from go_term_alt_id i where i.ontology_snapshot_id = asked.snapshot and i.alt_id = asked.go_id))`.compile(
    db,
  ),
);

type EdgeEnd = 'child_go_term_id' | 'parent_go_term_id';
/** Selects the terms at the other ends of the edges of `t`. */
function relatedTerms(from: EdgeEnd, to: EdgeEnd): RawBuilder<RelatedTermRow[]> {
  return sql`(
    select coalesce(json_agg(json_build_object('go_id', go_id, 'name', name, 'relation_type', relation_type)), '[]') from (
      select r.go_id, r.name, e.relation_type from go_term_relationship e join go_term r on r.id = e.${sql.ref(to)}
      where e.${sql.ref(from)} = t.id order by r.go_id, e.relation_type limit ${sql.lit(maxRelatedTerms)}) related)`;
}

export interface SubgraphNode {
  go_id: string;
  name: string;
  aspect: string;
  is_obsolete: boolean;
  /** The nearest requested term is this number of edges away; 0 for the requested ones. */
  depth: number;
}
export interface SubgraphEdge {
  child: string;
  parent: string;
  relation_type: string;
}
export interface Subgraph {
  /** Nodes are ordered by depth, then by GO id. */
  nodes: SubgraphNode[];
  edges: SubgraphEdge[];
  /** The snapshot has these requested ids neither as a term nor as an alternative id. */
  unknown: string[];
}

/** Finds the relations that the snapshot has an edge of. */
export async function relationsAmong(
  db: Queryable,
  snapshotId: string,
  relations: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('go_term_relationship')
    .select('relation_type')
    .distinct()
    .where('ontology_snapshot_id', '=', snapshotId)
    .where('relation_type', '=', sql<string>`any(${relations}::text[])`)
    .execute();
  return rows.map((row) => row.relation_type);
}

/**
 * Finds the requested terms (alternative ids count as their term) with all ancestors over the given
 * relations, breadth first.
 */
export async function subgraph(
  db: Queryable,
  snapshotId: string,
  goIds: readonly string[],
  relations: readonly string[],
): Promise<Subgraph> {
  const asked = await resolveTerms(db, snapshotId, goIds);
  const start = [...new Set(asked.map((row) => row.id))];
  const { rows: edges } = await sql<SubgraphEdge & { child_id: number; parent_id: number }>`
    with recursive closure (id) as (
      select unnest(${start}::int[])
      union
      select r.parent_go_term_id from closure c join go_term_relationship r on r.child_go_term_id = c.id
      where r.relation_type = any(${relations}::text[]))
    select r.child_go_term_id as child_id, r.parent_go_term_id as parent_id, child.go_id as child, parent.go_id as parent, r.relation_type
    from closure c join go_term_relationship r on r.child_go_term_id = c.id
    join go_term child on child.id = r.child_go_term_id join go_term parent on parent.id = r.parent_go_term_id
    where r.relation_type = any(${relations}::text[])
    order by child.go_id, parent.go_id, r.relation_type`.execute(db);
  const depth = breadthFirst(start, edges);
  const terms = await db
    .selectFrom('go_term')
    .select(['id', 'go_id', 'name', 'aspect', 'is_obsolete'])
    .where('id', '=', sql<number>`any(${[...depth.keys()]}::int[])`)
    .execute();
  const nodes = terms.map(({ id, ...term }) => ({ ...term, depth: depth.get(id) as number }));
  nodes.sort((a, b) => a.depth - b.depth || (a.go_id < b.go_id ? -1 : 1));
  const known = new Set(asked.map((row) => row.asked));
  return {
    nodes,
    edges: edges.map(({ child, parent, relation_type }) => ({ child, parent, relation_type })),
    unknown: goIds.filter((id) => !known.has(id)),
  };
}

async function resolveTerms(
  db: Queryable,
  snapshotId: string,
  goIds: readonly string[],
): Promise<{ asked: string; id: number }[]> {
  const { rows } = await sql<{ asked: string; id: number }>`
    select go_id as asked, id from go_term where ontology_snapshot_id = ${snapshotId} and go_id = any(${goIds}::text[])
    union
    select alt_id, go_term_id from go_term_alt_id where ontology_snapshot_id = ${snapshotId} and alt_id = any(${goIds}::text[])`.execute(
    db,
  );
  return rows;
}

function breadthFirst(
  start: readonly number[],
  edges: readonly { child_id: number; parent_id: number }[],
): Map<number, number> {
  const parents = new Map<number, number[]>();
  for (const { child_id, parent_id } of edges) {
    const list = parents.get(child_id);
    if (list === undefined) parents.set(child_id, [parent_id]);
    else list.push(parent_id);
  }
  const depth = new Map(start.map((id) => [id, 0]));
  // A Map is walked in order of insertion, so it also serves as the queue.
  for (const [id, d] of depth) {
    for (const parent of parents.get(id) ?? []) if (!depth.has(parent)) depth.set(parent, d + 1);
  }
  return depth;
}

/** Inserts the row of a release whose terms follow. */
export async function insertSnapshotRow(
  trx: Transaction,
  row: Insertable<Tables['ontology_snapshot']>,
): Promise<OntologySnapshotRow> {
  return trx.insertInto('ontology_snapshot').values(row).returningAll().executeTakeFirstOrThrow();
}
