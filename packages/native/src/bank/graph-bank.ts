import { NearestLists, type QueryBank } from '@kindred/kernels/knn';
import { BankFile } from './bank-file.js';
import {
  type BankAnswer,
  type BankSearchOptions,
  type NeighbourIndex,
  searchAborted,
} from './neighbour-index.js';
import { checkSearch, markSubsets, orderQueries, type QueryRows, vectorsOfQuery } from './query-rows.js';
import { ReferenceDistances } from './reference-distances.js';

/** The maximum number of rows in a request to a graph. Lists that need more stay short. */
const maxCandidates = 65_536;

/** An approximate index over the rows of a bank. */
export interface CandidateGraph {
  /** Returns the rows of the bank that are probably the nearest, nearest first: `count` rows, or all that the graph reaches. */
  nearest(vector: Float32Array, count: number): ArrayLike<number>;
}

/**
 * Searches a bank approximately: a graph (HNSW) proposes candidates, which are compared exactly, in float64. Distances, ties, exclusion
 * of the query's own sequence and distinct sequences are as in an exact search; rows that the graph does not propose are missed. If
 * candidates are outside a subset, more are requested, up to 65,536. A subset is compared in full if it is so small that a search would
 * need more candidates than it has members. The graph is that of Malkov & Yashunin (hierarchical navigable small worlds).
 *
 * The cost of a query is about `expansion` comparisons in addition to the graph's own.
 * @param expansion number of candidates in the first request, 1 or more
 * @throws RangeError if the file is not a complete bank of this version
 * @cite Malkov2020
 */
export function openGraphBank(path: string, graph: CandidateGraph, expansion: number): NeighbourIndex {
  const file = new BankFile(path);
  return {
    header: file.header,
    method: 'graph',
    async search(queries, options) {
      return new GraphSearch({ file, graph, expansion }, queries, options).run();
    },
    async close() {
      file.close();
    },
  };
}

interface OpenGraph {
  file: BankFile;
  graph: CandidateGraph;
  expansion: number;
}

class GraphSearch {
  readonly #rows: QueryRows;
  readonly #subsetBits: Uint8Array;
  readonly #lists: NearestLists[];
  readonly #threshold: number;
  readonly #reference: ReferenceDistances;
  /** The references of the small subsets, which are compared in full. */
  readonly #thinMembers: number[];
  readonly #thinBits: number;
  #compared = 0;
  /** The distance of each reference that was compared with the current query, and the sequences found in each subset. */
  #distances = new Map<number, number>();
  #found: Set<number>[] = [];

  readonly #bank: OpenGraph;
  readonly #options: BankSearchOptions;

  constructor(bank: OpenGraph, queries: QueryBank, options: BankSearchOptions) {
    this.#bank = bank;
    this.#options = options;
    const { header, rank, sequence, reference } = bank.file;
    checkSearch(options.k, options.metric, options.distanceThreshold);
    this.#rows = orderQueries(queries, header.dimension, options.includeSelf);
    this.#threshold = Math.fround(options.distanceThreshold ?? Number.POSITIVE_INFINITY);
    const nSubsets = options.subsets?.length ?? 1;
    this.#subsetBits = options.subsets
      ? markSubsets(options.subsets, header.references)
      : new Uint8Array(header.references).fill(1);
    this.#lists = Array.from(
      { length: nSubsets },
      () => new NearestLists(this.#rows.nQuery, options.k, { sequence, rank }, this.#threshold),
    );
    this.#reference = new ReferenceDistances(bank.file);
    let thinBits = 0;
    for (let s = 0; s < nSubsets; s++) {
      let members = 0;
      for (const each of reference) members += (this.#subsetBits[each] >> s) & 1;
      // The k nearest of the subset are among about k * rows / members of all rows.
      if (members * members < options.k * header.rows) thinBits |= 1 << s;
    }
    this.#thinBits = thinBits;
    this.#thinMembers = [...this.#subsetBits.keys()].filter((r) => (this.#subsetBits[r] & thinBits) !== 0);
  }

  run(): BankAnswer {
    const { isAborted, control, onProgress } = this.#options;
    const { nQuery } = this.#rows;
    for (let query = 0; query < nQuery; query++) {
      if (isAborted?.() || (control && Atomics.load(control, 0) !== 0)) throw searchAborted();
      this.#answer(query);
      if (control) Atomics.add(control, 1, 1);
      onProgress?.((query + 1) / nQuery);
    }
    return { lists: this.#lists.map((list) => list.result()), uncertified: 0, compared: this.#compared };
  }

  #answer(query: number): void {
    const vectors = vectorsOfQuery(this.#rows, query, this.#bank.file.header.dimension);
    this.#distances = new Map();
    this.#found = this.#lists.map(() => new Set());
    this.#askGraph(query, vectors);
    // Small subsets are compared after the graph search, because their members do not indicate that the other lists are complete.
    for (const member of this.#thinMembers) this.#compare(query, member, vectors);
  }

  #askGraph(query: number, vectors: Float32Array[]): void {
    const { header, reference } = this.#bank.file;
    const max = Math.min(header.rows, maxCandidates);
    let count = Math.min(max, Math.max(this.#bank.expansion, 2 * this.#options.k));
    while (vectors.length > 0 && !this.#complete()) {
      let more = false;
      for (const vector of vectors) {
        const named = this.#bank.graph.nearest(vector, count);
        let farthest = 0;
        for (let i = 0; i < named.length; i++) farthest = this.#compare(query, reference[named[i]], vectors);
        if (named.length >= count && farthest <= this.#threshold) more = true;
      }
      if (!more || count === max) return;
      count = Math.min(max, count * 4);
    }
  }

  #complete(): boolean {
    return this.#found.every(
      (sequences, s) => (this.#thinBits >> s) & 1 || sequences.size >= this.#options.k,
    );
  }

  /** Returns the distance of a reference, the minimum over its rows and the query's, and offers it to the lists if it is new. */
  #compare(query: number, reference: number, vectors: Float32Array[]): number {
    const known = this.#distances.get(reference);
    if (known !== undefined) return known;
    const distance = this.#reference.nearest(reference, vectors, this.#options.metric);
    this.#compared += vectors.length * this.#reference.rowsOf(reference);
    this.#distances.set(reference, distance);
    const sequence = this.#bank.file.sequence[reference];
    const excluded = this.#rows.excluded[query];
    if (distance > this.#threshold || (excluded >= 0 && sequence === excluded)) return distance;
    for (let s = 0, bits = this.#subsetBits[reference]; bits !== 0; s++, bits >>= 1) {
      if ((bits & 1) === 0) continue;
      this.#lists[s].offer(query, reference, distance);
      this.#found[s].add(sequence);
    }
    return distance;
  }
}
