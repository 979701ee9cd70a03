import { categories } from '../vocabulary/index.js';
import type { OntologyGraph } from '../ontology/index.js';

/** The evaluation categories of CAFA: no, limited and partial prior knowledge. */
export const holdoutCategories = categories;
export type HoldoutCategory = (typeof holdoutCategories)[number];

/**
 * Annotations of one date. Entry i: protein protein[i] has term term[i] of the graph, or does not have it if negated[i] is
 * 1.
 */
export interface DatedAnnotations {
  /** int32, 0 .. proteinCount - 1, in any order */
  protein: Int32Array;
  /** int32, terms of the graph. An entry whose term is negative or obsolete is counted and left out. */
  term: Int32Array;
  /** Uint8: 1 where the annotation has NOT. */
  negated: Uint8Array;
}

export interface HoldoutInput {
  /** The graph that both dates are read against. */
  graph: OntologyGraph;
  /** Number of proteins; protein numbers are smaller than this. */
  proteinCount: number;
  before: DatedAnnotations;
  after: DatedAnnotations;
  /**
   * Uninformative terms: if all gains of a protein in an aspect are among these, it has no gain there. CAFA treats protein
   * binding this way.
   */
  uninformative?: ReadonlySet<number>;
}

/** Pairs (protein, term) by protein, then term, both ascending; each once. int32 */
export interface ProteinTerms {
  protein: Int32Array;
  term: Int32Array;
}

/** Number of entries of one date, by outcome. */
export interface DatedCounts {
  annotations: number;
  /** Number of entries with NOT. */
  negations: number;
  /** Positive entries removed by a NOT of the same protein, at the term or above it. */
  denied: number;
  /** Entries without a live term. */
  unknownTerms: number;
  /** (protein, term) pairs after propagation, roots left out. */
  pairs: number;
}

export interface Holdout {
  /** Gained terms, roots left out, by category. A protein may be in different categories for different aspects. */
  truth: Record<HoldoutCategory, ProteinTerms>;
  /** All terms that the proteins of `truth` had before, in every aspect, without roots. */
  known: ProteinTerms;
  counts: {
    before: DatedCounts;
    after: DatedCounts;
    /** (protein, aspect) pairs left out because all gains are uninformative, by category. */
    uninformativeOnly: Record<HoldoutCategory, number>;
  };
}
