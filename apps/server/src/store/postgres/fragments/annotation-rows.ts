import { sql } from 'kysely';

/**
 * Names the table of one set's rows, which is a partition of protein_go_annotation once the set is complete.
 */
export function partitionOf(setNumber: number): string {
  return `protein_go_annotation_s${setNumber}`;
}

/**
 * Tests whether a row's qualifier denies its term. References that were loaded before 0.3.0 have NOT as their
 * files spelled it, in any case; no relation of the Gene Ontology contains these letters.
 */
export const negatedRow = (row: string): string =>
  `coalesce(${row}.qualifier collate "C" ilike '%NOT%', false)`;

/** The condition is `transferable` of the row alone, for a statement that reads no terms. */
export const transferableRow = `not ${negatedRow('a')} and a.evidence_code <> 'ND'`;

/**
 * A source may give these rows: not denied by a curator (NOT), not obsolete, and not ND, which states that
 * nothing is known.
 */
export const transferable = sql`${sql.raw(transferableRow)} and not t.is_obsolete`;
