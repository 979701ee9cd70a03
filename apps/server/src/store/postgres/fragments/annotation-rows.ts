import { sql } from 'kysely';

/** Table of one set's rows: a partition of protein_go_annotation once the set is complete. */
export function partitionOf(setNumber: number): string {
  return `protein_go_annotation_s${setNumber}`;
}

/** `transferable` of the row alone, for a statement that reads no terms. */
export const transferableRow = `(a.qualifier is null or a.qualifier not like '%NOT%') and a.evidence_code <> 'ND'`;

/**
 * Rows that a donor may give: not denied by a curator (NOT), not obsolete, and not ND, which states that nothing is known.
 */
export const transferable = sql`${sql.raw(transferableRow)} and not t.is_obsolete`;
