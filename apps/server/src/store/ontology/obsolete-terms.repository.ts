import { sql } from 'kysely';
import { LastValue } from '../../ground/last-value.js';
import type { Queryable } from '../postgres/connection.js';

/** The newest ontology may have made a term obsolete, or replaced it. */
export interface ObsoleteTermRow {
  go_id: string;
  obo_version: string;
  replaced_by: string[];
  consider: string[];
}

/** Finds terms that are obsolete in the newest ontology, or merged into another term there. */
export async function obsoleteTerms(
  db: Queryable,
  newest: NewestOntology,
): Promise<ReadonlyMap<string, ObsoleteTermRow>> {
  const kept = obsoleteBy.get(db) ?? new LastValue<ReadonlyMap<string, ObsoleteTermRow>>();
  obsoleteBy.set(db, kept);
  return kept.get(newest.id, () => obsoleteIn(db, newest));
}

/** The obsolete terms of the newest release are read once, because the terms of a release do not change. */
const obsoleteBy = new WeakMap<object, LastValue<ReadonlyMap<string, ObsoleteTermRow>>>();

export interface NewestOntology {
  id: string;
  obo_version: string;
}

async function obsoleteIn(db: Queryable, { id, obo_version }: NewestOntology) {
  const { rows } = await sql<Omit<ObsoleteTermRow, 'obo_version'>>`
    select go_id, replaced_by, consider from go_term where ontology_snapshot_id = ${id} and is_obsolete
    union all
    select a.alt_id, array[t.go_id], '{}'
    from go_term_alt_id a join go_term t on t.id = a.go_term_id where a.ontology_snapshot_id = ${id}`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.go_id, { ...row, obo_version }]));
}
