import type { PredictionBatch } from '../../store/predictions/prediction-writer.js';
import type { QueryRow } from '../../store/proteins/queries.repository.js';

/** Live terms of a snapshot by InterPro entry, each entry's in the order of GO ids. */
export type TermsOfEntry = ReadonlyMap<string, readonly { rowId: number; goId: string }[]>;

interface Candidate {
  rowId: number;
  goId: string;
  entries: string[];
}

/** Terms that a sequence's entries stand for; most entries first, then by GO id. */
function candidatesOf(entries: readonly string[], termsOf: TermsOfEntry): Candidate[] {
  const byTerm = new Map<number, Candidate>();
  for (const entry of entries) {
    for (const { rowId, goId } of termsOf.get(entry) ?? []) {
      const known = byTerm.get(rowId);
      if (known === undefined) byTerm.set(rowId, { rowId, goId, entries: [entry] });
      else known.entries.push(entry);
    }
  }
  return [...byTerm.values()].sort(
    (a, b) => b.entries.length - a.entries.length || (a.goId < b.goId ? -1 : 1),
  );
}

/** Score of a term that n entries of the query stand for: 0.5 for one entry, nearer to 1 with each. */
function scoreOfEntries(n: number): number {
  return 1 - 1 / (2 * n);
}

/**
 * The rows of a chunk of queries: one per (query, term, InterPro entry), the entry as the source. No distance is measured.
 * `entriesOf` holds each sequence's distinct entries in ascending order.
 */
export function interproPredictions(
  queries: readonly QueryRow[],
  entriesOf: ReadonlyMap<number, readonly string[]>,
  { termsOf, setNumber, jsonb }: { termsOf: TermsOfEntry; setNumber: number; jsonb: boolean },
): PredictionBatch {
  const rows = queries.flatMap((query, index) =>
    candidatesOf(entriesOf.get(query.sequence_id) ?? [], termsOf).flatMap((candidate, rank) =>
      candidate.entries.map((entry, place) => ({ index, candidate, rank, entry, place })),
    ),
  );
  const entries = [...new Set(rows.map((row) => row.entry))];
  const numberOf = new Map(entries.map((entry, number) => [entry, number]));
  return {
    setNumber,
    jsonb,
    hasFeatures: false,
    queries: queries.map(({ accession, sequence_id, taxonomy_id }) => ({
      accession,
      sequence_id,
      taxonomy_id,
    })),
    sources: entries.map((id) => ({ kind: 'interpro_entry', id, taxonomy_id: null })),
    texts: { qualifier: [], evidence_code: ['IEA'], taxonomic_relation: [] },
    query: Int32Array.from(rows, (row) => row.index),
    source: Int32Array.from(rows, (row) => numberOf.get(row.entry) as number),
    columns: {
      go_term_id: Int32Array.from(rows, (row) => row.candidate.rowId),
      distance: new Float32Array(rows.length).fill(Number.NaN),
      score: Float32Array.from(rows, (row) => scoreOfEntries(row.candidate.entries.length)),
      term_rank: Int32Array.from(rows, (row) => row.rank + 1),
      is_nearest: Uint8Array.from(rows, (row) => (row.place === 0 ? 1 : 0)),
      evidence_code: new Int32Array(rows.length),
      qualifier: new Uint8Array(rows.length),
    },
  };
}
