/** `cosine`: 1 - cos, from 0 to 2. `l2`: squared Euclidean distance, 0 or more. */
export type Metric = 'cosine' | 'l2';

/**
 * Vectors to search in. A row is one vector; a protein whose sequence is embedded in chunks has several rows.
 * The bank may have rows per protein or per distinct sequence; results are the same.
 */
export interface VectorBank {
  /** Float32, row-major [rows x dimension], finite. */
  vectors: Float32Array;
  dimension: number;
  /** Reference (protein) of each row: Int32 [rows], 0 .. references - 1. */
  reference: Int32Array;
  /** Sequence number of each reference: Int32 [references], 0 or more. Equal numbers mean equal sequences. */
  sequence: Int32Array;
  /** Position of each reference in the order of accessions: Int32 [references]. On ties the lower rank comes first. */
  rank: Int32Array;
}

export interface QueryBank {
  /** Float32, row-major [rows x dimension], finite. */
  vectors: Float32Array;
  /** Query of each row: Int32 [rows], 0 .. count - 1; omit if row r is query r. */
  query?: Int32Array;
  /** Number of queries; omit if every row is a query. */
  count?: number;
  /** Sequence number of each query in the numbering of the references: Int32 [count]; -1 if no reference has it. */
  sequence?: Int32Array;
}

export interface SearchOptions {
  metric: Metric;
  /** Number of neighbours per query (distinct sequences), 1 or more. */
  k: number;
  /** Keep only neighbours at this distance or nearer; rounded to float32 as the distances are. */
  distanceThreshold?: number;
  /** Keep a query's own sequence among its neighbours. Default false. */
  includeSelf?: boolean;
  /**
   * References to search, ascending, without repeats; returns one list of neighbours per subset, in this order. Maximum 8.
   * Default: one subset with every reference.
   */
  subsets?: readonly Int32Array[];
  /** Query and reference rows per block; they affect speed and memory, not the result. */
  queryBlock?: number;
  referenceBlock?: number;
  /** Called between blocks with the finished share, 0 to 1. */
  onProgress?: (share: number) => void;
  /** Checked between blocks; on abort the search throws the signal's reason. */
  signal?: AbortSignal;
}

/** Neighbour lists of all queries, nearest first. */
export interface Neighbours {
  nQuery: number;
  k: number;
  /** Reference numbers: Int32 [nQuery x k]; -1 pads a list that is shorter than k. */
  neighbours: Int32Array;
  /** Float32 [nQuery x k]; Infinity for padding. */
  distances: Float32Array;
}
