import type { PredictionBatch, StoredQuery, TermSource } from '../store/predictions/prediction-writer.js';
import { Numbering } from '../ground/numbering.js';

export interface ScoredTerm {
  /** The row in go_term has this id. */
  termRowId: number;
  /** The score lies between 0 and 1. */
  score: number;
  source: TermSource;
  /** The vectors of query and source have this distance; null if none was measured. */
  distance: number | null;
  evidenceCode: string | null;
}

export interface ScoredQuery extends Omit<StoredQuery, 'donors'> {
  /** Each term appears once, best first. */
  terms: readonly ScoredTerm[];
}

/** A row has a term of a query with one of its sources. */
export interface ScoredRow {
  /** The row belongs to the query of this number. */
  query: number;
  term: ScoredTerm;
  /** Ranks begin with 1, by falling score of the query's terms. */
  rank: number;
  /** The flag is true for the first source of the term. */
  isNearest: boolean;
}

/** Makes the rows of methods that score terms in their own way, one per (query, term). */
export function scoredPredictions(
  queries: readonly ScoredQuery[],
  destination: { setNumber: number; jsonb: boolean },
): PredictionBatch {
  const rows = queries.flatMap(({ terms }, query) =>
    terms.map((term, place): ScoredRow => ({ query, term, rank: place + 1, isNearest: true })),
  );
  return predictionBatch(queries, rows, destination);
}

export function predictionBatch(
  queries: readonly Omit<ScoredQuery, 'terms'>[],
  rows: readonly ScoredRow[],
  { setNumber, jsonb }: { setNumber: number; jsonb: boolean },
): PredictionBatch {
  const sources = new Numbering<TermSource>(({ kind, id }) => `${kind} ${id}`);
  const evidenceCodes = new Numbering<string>((code) => code);
  return {
    setNumber,
    jsonb,
    hasFeatures: false,
    queries,
    query: Int32Array.from(rows, (row) => row.query),
    source: Int32Array.from(rows, ({ term }) => sources.numberOf(term.source)),
    columns: {
      go_term_id: Int32Array.from(rows, (row) => row.term.termRowId),
      distance: Float32Array.from(rows, ({ term }) => term.distance ?? Number.NaN),
      score: Float32Array.from(rows, (row) => row.term.score),
      term_rank: Int32Array.from(rows, (row) => row.rank),
      is_nearest: Uint8Array.from(rows, (row) => (row.isNearest ? 1 : 0)),
      evidence_code: Int32Array.from(rows, ({ term: { evidenceCode } }) =>
        evidenceCode === null ? -1 : evidenceCodes.numberOf(evidenceCode),
      ),
      qualifier: new Uint8Array(rows.length),
    },
    sources: sources.values,
    texts: { qualifier: [], evidence_code: evidenceCodes.values, taxonomic_relation: [] },
  };
}
