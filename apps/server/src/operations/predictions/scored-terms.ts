import type { PredictionBatch } from '../../store/predictions/prediction-writer.js';

export interface ScoredTerm {
  /** Row of go_term. */
  termRowId: number;
  /** 0 to 1. */
  score: number;
  /** Who gave the term, with the distance where one was measured; null: nobody in particular. */
  donor: { accession: string; taxonId: number | null; distance?: number } | null;
  evidenceCode: string | null;
}

export interface ScoredQuery {
  accession: string;
  sequence_id: number;
  taxonomy_id: number | null;
  /** Each term once, best first. */
  terms: readonly ScoredTerm[];
}

/**
 * Rows of methods that score terms in their own way, one per (query, term). Where no distance was measured, the row has the
 * distance whose usual score is the term's, so that filters by distance and by score agree.
 */
export function scoredPredictions(
  queries: readonly ScoredQuery[],
  { setNumber, jsonb }: { setNumber: number; jsonb: boolean },
): PredictionBatch {
  const rows = queries.flatMap((query, index) => query.terms.map((term, place) => ({ index, place, term })));
  const references: PredictionBatch['references'] = [];
  const numberOf = numbering((key) => references.push(key));
  const evidenceCodes: string[] = [];
  const evidenceNumber = new Map<string, number>();
  const evidenceOf = (code: string | null): number => {
    if (code === null) return -1;
    if (!evidenceNumber.has(code)) evidenceNumber.set(code, evidenceCodes.push(code) - 1);
    return evidenceNumber.get(code) as number;
  };
  return {
    setNumber,
    jsonb,
    hasFeatures: false,
    queries: queries.map(({ accession, sequence_id, taxonomy_id }) => ({
      accession,
      sequence_id,
      taxonomy_id,
    })),
    references,
    texts: { qualifier: [], evidence_code: evidenceCodes, taxonomic_relation: [] },
    query: Int32Array.from(rows, (row) => row.index),
    reference: Int32Array.from(rows, ({ term }) =>
      numberOf({ accession: term.donor?.accession ?? null, taxonomy_id: term.donor?.taxonId ?? null }),
    ),
    columns: {
      go_term_id: Int32Array.from(rows, (row) => row.term.termRowId),
      distance: Float32Array.from(rows, ({ term }) => term.donor?.distance ?? distanceOfScore(term.score)),
      score: Float32Array.from(rows, (row) => row.term.score),
      term_rank: Int32Array.from(rows, (row) => row.place + 1),
      is_nearest: new Uint8Array(rows.length).fill(1),
      evidence_code: Int32Array.from(rows, (row) => evidenceOf(row.term.evidenceCode)),
      qualifier: new Uint8Array(rows.length),
    },
  };
}

/** The cosine distance d with 1 - d/2 = score. */
function distanceOfScore(score: number): number {
  return Math.max(0, 2 * (1 - score));
}

/** Numbers distinct references in order of first sight; `add` returns how many there are with the new one. */
function numbering(add: (reference: { accession: string | null; taxonomy_id: number | null }) => number) {
  const known = new Map<string | null, number>();
  return (reference: { accession: string | null; taxonomy_id: number | null }): number => {
    const number = known.get(reference.accession);
    if (number !== undefined) return number;
    known.set(reference.accession, add(reference) - 1);
    return known.size - 1;
  };
}
