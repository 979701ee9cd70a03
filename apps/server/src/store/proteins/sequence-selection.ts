import { type RawBuilder, sql } from 'kysely';

/** A job computes or scans these sequences. */
export type SequenceSelection =
  | { kind: 'query_set'; querySetId: string }
  | { kind: 'accessions'; accessions: string[] }
  | { kind: 'reference'; referenceId: string }
  | { kind: 'all' };

/** Makes the condition of the selected rows `s` of `sequence`. */
export function isSelected(selection: SequenceSelection): RawBuilder<boolean> {
  switch (selection.kind) {
    case 'query_set':
      return sql`s.id in (select sequence_id from query_set_entry where query_set_id = ${selection.querySetId})`;
    case 'accessions':
      return sql`s.id in (select sequence_id from protein where accession = any(${selection.accessions}::text[]))`;
    case 'reference':
      return sql`s.id in (select m.sequence_id from reference_protein m join reference r on r.number = m.reference_number
        where r.id = ${selection.referenceId})`;
    case 'all':
      return sql`exists (select from protein p where p.sequence_id = s.id)`;
  }
}
