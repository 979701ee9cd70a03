/** `cosine`: 1 - cos, from 0 to 2. `l2`: squared Euclidean distance, 0 or more. */
export type Metric = 'cosine' | 'l2';

/**
 * Vectors to search in. A row is one vector; a protein whose sequence is embedded in chunks has several rows.
 * The bank may hold a row set per protein or per distinct sequence; answers are the same.
 */
export interface VectorBank {
  /** Float32, row-major [rows x dimension], finite. */
  vectors: Float32Array;
  dimension: number;
  /** Reference (protein) of each row: Int32 [rows], 0 .. references - 1. */
  reference: Int32Array;
  /** Sequence number of each reference: Int32 [references], 0 or more. Equal numbers mean equal sequences. */
  sequence: Int32Array;
  /** Place of each reference in the order of accessions: Int32 [references]. Breaks ties, lower first. */
  rank: Int32Array;
}

export interface QueryBank {
  /** Float32, row-major [rows x dimension], finite. */
  vectors: Float32Array;
  /** Query of each row: Int32 [rows], 0 .. count - 1; left out where row r is query r. */
  query?: Int32Array;
  /** Number of queries; left out where every row is a query. */
  count?: number;
  /** Sequence number of each query in the numbering of the references: Int32 [count]; -1 where no reference has it. */
  sequence?: Int32Array;
}

export interface SearchOptions {
  metric: Metric;
  /** Neighbours per query, counted in distinct sequences; 1 or more. */
  k: number;
  /** Keep only neighbours at this distance or nearer; rounded to float32 as the distances are. */
  distanceThreshold?: number;
  /** Keep a query's own sequence among its neighbours. Default false. */
  includeSelf?: boolean;
  /**
   * References to search, ascending, without repeats; one list of neighbours comes back for each subset, in this
   * order. At most 8. Default: one subset that holds every reference.
   */
  subsets?: readonly Int32Array[];
  /** Query and reference rows per block; change the speed and the memory, never the answer. */
  queryBlock?: number;
  referenceBlock?: number;
  /** Called between blocks with the share done, 0 to 1. */
  onProgress?: (share: number) => void;
  /** Looked at between blocks; the search then throws the signal's reason. */
  signal?: AbortSignal;
}

/** Neighbour lists of all queries, nearest first. */
export interface Neighbours {
  nQuery: number;
  k: number;
  /** Reference numbers: Int32 [nQuery x k]; -1 pads a list that is shorter than k. */
  neighbours: Int32Array;
  /** Float32 [nQuery x k]; Infinity where the list is padded. */
  distances: Float32Array;
}
