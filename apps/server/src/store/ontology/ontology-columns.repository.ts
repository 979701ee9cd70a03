import { aspects, namespaceOf } from '@kindred/contracts';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { altIds, termKeys } from './ontology.repository.js';
import { forEachYielding, itemsPerTurn } from '../../ground/event-loop.js';

/** The columns hold an ontology snapshot for computing; terms are numbered by GO id. */
export interface StoredOntology extends OntologyColumns {
  /** The terms have these ids of rows in go_term: int32 */
  rowIds: Int32Array;
}

export async function ontologyColumns(db: Queryable, snapshotId: string): Promise<StoredOntology> {
  const terms = await termKeys(db, snapshotId);
  const alternatives = await altIds(db, snapshotId);
  const rowIds = Int32Array.from(terms, (term) => term.id);
  const numberOf = new Map<number, number>();
  await forEachYielding(terms.length, (i) => numberOf.set(terms[i].id, i));
  const numbered = (id: number): number => numberOf.get(id) as number;
  const edges = await edgesFrom(db, rowIds, numbered);
  return {
    rowIds,
    termIds: terms.map((term) => term.go_id),
    namespaces: aspects.map((aspect) => namespaceOf[aspect]),
    namespace: Uint8Array.from(terms, (term) => aspects.indexOf(term.aspect as (typeof aspects)[number])),
    obsolete: Uint8Array.from(terms, (term) => Number(term.is_obsolete)),
    edgeChild: Int32Array.from(edges, ({ child }) => numbered(child)),
    edgeParent: Int32Array.from(edges, ({ parent }) => numbered(parent)),
    edgeRelation: Uint8Array.from(edges, ({ is_part }) => Number(is_part)),
    relationNames: ['is_a', 'part_of'],
    altIds: alternatives.map((row) => row.alt_id),
    altTerms: Int32Array.from(alternatives, (row) => numbered(row.go_term_id)),
  };
}

interface Edge {
  child: number;
  parent: number;
  /** The flag is true for part_of; false for is_a. */
  is_part: boolean;
}

/**
 * Reads edges of the true path rule by child, then parent, with the numbers of the terms. `children` are all
 * rows of go_term in the order of their numbers.
 */
async function edgesFrom(
  db: Queryable,
  children: Int32Array,
  numbered: (id: number) => number,
): Promise<Edge[]> {
  const edges: Edge[] = [];
  for (let from = 0; from < children.length; from += itemsPerTurn) {
    const page = Array.from(children.subarray(from, from + itemsPerTurn));
    const { rows } = await sql<Edge>`
      select child_go_term_id as child, parent_go_term_id as parent, relation_type = 'part_of' as is_part
      from go_term_relationship
      where child_go_term_id = any(${page}::int[]) and relation_type in ('is_a', 'part_of')`.execute(db);
    rows.sort(
      (a, b) =>
        numbered(a.child) - numbered(b.child) ||
        numbered(a.parent) - numbered(b.parent) ||
        Number(a.is_part) - Number(b.is_part),
    );
    for (const edge of rows) edges.push(edge);
  }
  return edges;
}

export type { OntologyColumns } from '@kindred/kernels/ontology';

export interface TermTranslation {
  /**
   * The map leads from a row of go_term in one snapshot to the row in the other; terms that the other lacks
   * are missing.
   */
  rowOf: Map<number, number>;
  /** These rows were found by an alternative id of the other snapshot. */
  byAltId: Set<number>;
}

/**
 * Translates terms of a snapshot into another by their ids: the live term of that id, else the term that has
 * it as an alternative id.
 */
export async function termTranslation(
  db: Queryable,
  fromSnapshotId: string,
  toSnapshotId: string,
): Promise<TermTranslation> {
  const { rows } = await sql<{ from_id: number; to_id: number; by_alt_id: boolean }>`
    select o.id as from_id, coalesce(n.id, a.go_term_id) as to_id, n.id is null as by_alt_id
    from go_term o
    left join go_term n on n.ontology_snapshot_id = ${toSnapshotId} and n.go_id = o.go_id and not n.is_obsolete
    left join go_term_alt_id a on a.ontology_snapshot_id = ${toSnapshotId} and a.alt_id = o.go_id
    where o.ontology_snapshot_id = ${fromSnapshotId} and coalesce(n.id, a.go_term_id) is not null`.execute(
    db,
  );
  return {
    rowOf: new Map(rows.map((row) => [row.from_id, row.to_id])),
    byAltId: new Set(rows.filter((row) => row.by_alt_id).map((row) => row.from_id)),
  };
}
