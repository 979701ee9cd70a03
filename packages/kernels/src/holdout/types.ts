import { categories } from '../vocabulary/index.js';
import type { OntologyGraph } from '../ontology/index.js';

/** The evaluation categories of CAFA: no, limited and partial prior knowledge. */
export const holdoutCategories = categories;
export type HoldoutCategory = (typeof holdoutCategories)[number];

/**
 * The annotations of one date. Entry i says that protein protein[i] has term term[i] of the graph, or does not have it if negated[i] is
 * 1.
 */
export interface DatedAnnotations {
  /** Protein numbers 0 .. proteinCount - 1, in any order: int32. */
  protein: Int32Array;
  /** Terms of the graph: int32. An entry whose term is negative or obsolete is counted and left out. */
  term: Int32Array;
  /** The value is 1 where the annotation has NOT: uint8. */
  negated: Uint8Array;
}

export interface HoldoutInput {
  /** The graph by which both dates are read. */
  graph: OntologyGraph;
  /** The number of proteins; protein numbers are smaller. */
  proteinCount: number;
  before: DatedAnnotations;
  after: DatedAnnotations;
  /**
   * Uninformative terms. If all gains of a protein in an aspect are among them, the protein has no gain there. CAFA treats protein
   * binding in this way.
   */
  uninformative?: ReadonlySet<number>;
}

/** Pairs (protein, term), each once, ascending by protein, then by term: int32. */
export interface ProteinTerms {
  protein: Int32Array;
  term: Int32Array;
}

/** The number of entries of one date, by outcome. */
export interface DatedCounts {
  annotations: number;
  /** Entries with NOT. */
  negations: number;
  /** Positive entries that a NOT of the same protein removes, at the term or above it. */
  denied: number;
  /** Entries without a live term. */
  unknownTerms: number;
  /** Pairs (protein, term) after propagation, without roots. */
  pairs: number;
}

export interface Holdout {
  /** The gained terms by category, without roots. A protein may be in different categories for different aspects. */
  truth: Record<HoldoutCategory, ProteinTerms>;
  /** All terms that the proteins of `truth` had before, in every aspect, without roots. */
  known: ProteinTerms;
  counts: {
    before: DatedCounts;
    after: DatedCounts;
    /** Pairs (protein, aspect) that are left out because all gains are uninformative, by category. */
    uninformativeOnly: Record<HoldoutCategory, number>;
  };
}
