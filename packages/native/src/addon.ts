/** The sets of processor instructions, best first. `plain` runs everywhere. */
export type Instructions = 'avx512' | 'avxvnni' | 'avx2' | 'plain';

/** The version of the interface that this code expects of the compiled module; see kInterface of src-cc/addon.cc. */
export const addonInterface = 2;

/** The exports of the compiled module; src-cc/addon.cc checks every argument. */
export interface NativeAddon {
  interface: number;
  instructions(options: object): Instructions[];
  openBank(options: { path: string }): unknown;
  closeBank(options: { bank: unknown }): void;
  search(request: {
    bank: unknown;
    instructions: Instructions;
    /** The vectors as Float32 [rows x dimension]; the rows of query q are rowStart[q] .. rowStart[q + 1). */
    vectors: Float32Array;
    rowStart: Int32Array;
    /** The sequence number to exclude for each query, or -1: Int32 [queries]. */
    excluded: Int32Array;
    subsets: number;
    /** The subsets of each reference, bit s for subset s: Uint8 [references]. Without it there is one subset of all references. */
    subsetBits?: Uint8Array;
    cosine: 0 | 1;
    k: number;
    threshold: number;
    threads: number;
    /**
     * A control array, Int32 [2], preferably in shared memory: a value other than 0 in [0] stops the search; [1] counts finished queries.
     */
    control?: Int32Array;
    /** Output: [subsets x queries x k]. */
    neighbours: Int32Array;
    distances: Float32Array;
  }): { aborted: number; uncertified: number; compared: number };
  alignShape(options: { instructions: Instructions }): { lanes: number; groups: number };
  align(request: {
    instructions: Instructions;
    codes: Uint8Array;
    start: Int32Array;
    query: Int32Array;
    target: Int32Array;
    lanes: Int32Array;
    groups: Uint8Array;
    mode: number;
    gapOpen: number;
    gapExtend: number;
    matrix: Int8Array;
    traceBytes: number;
    out: Int32Array;
    /** A function that is called regularly; when it returns true, the call stops. */
    isAborted?: () => boolean;
  }): /* False when it was stopped. */ boolean;
  /**
   * Searches for relatives by the rules of CandidateFinder in @kindred/kernels/homology. The arrays of the index may be in shared memory.
   */
  findHomologs(request: {
    instructions: Instructions;
    codes: Uint8Array;
    start: Int32Array;
    prefixes: Uint8Array;
    occupied: Uint32Array;
    places: Int32Array;
    offsets: Int32Array;
    queryCodes: Uint8Array;
    queryStart: Int32Array;
    masked: Uint8Array;
    excluded: Int32Array;
    minimumBand: Int32Array;
    matrix: Int8Array;
    gapOpen: number;
    gapExtend: number;
    minimumSeed: number;
    minimumWindow: number;
    limit: number;
    /** Output: [queries x limit]. */
    sequence: Int32Array;
    score: Int32Array;
    /** Output: [queries]. */
    count: Int32Array;
    /** Output: [queries x limit x 4]. */
    aligned: Int32Array;
    /** A function that is called before each query; when it returns true, the call stops. */
    isAborted?: () => boolean;
  }): /* False when it was stopped. */ boolean;
  /**
   * Requests large pages for memory that nobody has written to yet. Older builds of the module lack this function.
   * @returns the bytes that the request covers: 0 if the system has no large pages, or the memory is smaller than one
   */
  preferLargePages?(request: { memory: Uint8Array }): number;
  /** Opens the network of layOutNetwork for one thread. Its memory is freed with the handle. */
  openNetwork(request: {
    instructions: Instructions;
    words: Int32Array;
    floats: Float32Array;
    weights: Int8Array;
  }): unknown;
  networkVector(request: {
    network: unknown;
    codes: Uint8Array;
    logLength: number;
    /** Output: Float32 [dimension]. */
    vector: Float32Array;
  }): void;
  networkProbabilities(request: {
    network: unknown;
    vector: Float32Array;
    /** Output: Float32 [terms]. */
    probabilities: Float32Array;
  }): void;
}
