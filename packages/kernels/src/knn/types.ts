/** The distance that is used: `cosine` is 1 - cos, from 0 to 2; `l2` is the squared Euclidean distance, 0 or more. */
export type Metric = 'cosine' | 'l2';

/**
 * Vectors to search in. A row is one vector; a protein whose sequence is embedded in chunks has several rows. The bank may have rows for
 * each protein or for each distinct sequence; the results are the same.
 */
export interface VectorBank {
  /** The vectors as float32, row-major [rows x dimension], finite. */
  vectors: Float32Array;
  dimension: number;
  /** The reference (protein) of each row: Int32 [rows], 0 .. references - 1. */
  reference: Int32Array;
  /** The sequence number of each reference: Int32 [references], 0 or more. Equal numbers mean equal sequences. */
  sequence: Int32Array;
  /** The position of each reference in the order of accessions: Int32 [references]. Of equal distances the lower rank comes first. */
  rank: Int32Array;
}

export interface QueryBank {
  /** The vectors as float32, row-major [rows x dimension], finite. */
  vectors: Float32Array;
  /** The query of each row: Int32 [rows], 0 .. count - 1; omit it if row r is query r. */
  query?: Int32Array;
  /** The number of queries; omit it if every row is a query. */
  count?: number;
  /** The sequence number of each query in the numbering of the references: Int32 [count]; -1 if no reference has the sequence. */
  sequence?: Int32Array;
}

export interface SearchOptions {
  metric: Metric;
  /** The number of neighbours of a query (distinct sequences), 1 or more. */
  k: number;
  /** The maximum distance of a neighbour, which is rounded to float32 as the distances are. */
  distanceThreshold?: number;
  /** Whether a query's own sequence may be among its neighbours. @default false */
  includeSelf?: boolean;
  /**
   * The references to search, ascending, without repeats, in up to 8 subsets. Each subset gives a list of neighbours, in this order. By
   * default one subset has every reference.
   */
  subsets?: readonly Int32Array[];
  /** The numbers of query and reference rows in a block. They affect speed and memory, not the result. */
  queryBlock?: number;
  referenceBlock?: number;
  /** A function that is called between blocks with the finished share, 0 to 1. */
  onProgress?: (share: number) => void;
  /** A signal that is checked between blocks; on abort the search throws the signal's reason. */
  signal?: AbortSignal;
}

/** The neighbour lists of all queries, nearest first. */
export interface Neighbours {
  nQuery: number;
  k: number;
  /** The reference numbers: Int32 [nQuery x k]; -1 pads a list that is shorter than k. */
  neighbours: Int32Array;
  /** The distances: Float32 [nQuery x k]; Infinity is padding. */
  distances: Float32Array;
}
