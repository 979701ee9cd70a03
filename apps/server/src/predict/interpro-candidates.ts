import type { PredictionBatch } from '../store/predictions/prediction-writer.js';
import type { QueryRow } from '../store/proteins/queries.repository.js';
import { predictionBatch, type ScoredRow } from './scored-terms.js';

/** Each InterPro entry has live terms of a snapshot, in the order of GO ids. */
export type TermsOfEntry = ReadonlyMap<string, readonly { rowId: number; goId: string }[]>;

interface Candidate {
  rowId: number;
  goId: string;
  entries: string[];
}

/** Finds the terms that a sequence's entries stand for; most entries first, then by GO id. */
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

/** Scores a term that n entries of the query stand for: 0.5 for one entry, nearer to 1 with each. */
function scoreOfEntries(n: number): number {
  return 1 - 1 / (2 * n);
}

/**
 * Makes the rows of a chunk of queries: one per (query, term, InterPro entry), with the entry as the source.
 * No distance is measured. `entriesOf` holds each sequence's distinct entries in ascending order.
 */
export function interproPredictions(
  queries: readonly QueryRow[],
  entriesOf: ReadonlyMap<number, readonly string[]>,
  { termsOf, setNumber, jsonb }: { termsOf: TermsOfEntry; setNumber: number; jsonb: boolean },
): PredictionBatch {
  const rows = queries.flatMap(({ sequence_id }, query) =>
    candidatesOf(entriesOf.get(sequence_id) ?? [], termsOf).flatMap(({ rowId, entries }, rank) =>
      entries.map(
        (entry, place): ScoredRow => ({
          query,
          term: {
            termRowId: rowId,
            score: scoreOfEntries(entries.length),
            source: { kind: 'interpro_entry', id: entry, taxonomy_id: null },
            distance: null,
            evidenceCode: 'IEA',
          },
          rank: rank + 1,
          isNearest: place === 0,
        }),
      ),
    ),
  );
  return predictionBatch(queries, rows, { setNumber, jsonb });
}
