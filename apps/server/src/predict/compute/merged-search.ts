import type { Neighbours, QueryBank } from '@kindred/kernels/knn';
import {
  type AgreementCurve,
  type MergedNeighbour,
  nearestMerged,
  type QueryDistances,
} from '@kindred/kernels/merging';
import {
  type BankAnswer,
  BankFile,
  type BankSearchOptions,
  type NeighbourIndex,
  openBank,
  orderQueries,
  type QueryRows,
  ReferenceDistances,
  vectorsOfQuery,
} from '@kindred/native';
import { nativeKernels } from './native-kernels.js';
import type { OpenBank } from './open-bank.js';
import type { BankArrays, SearchedBank } from './reference-bank.js';

/** An embedding has the vectors of the references, and a curve that says what their distances mean. */
export interface EmbeddingBank {
  vectorsFile: string;
  sequenceIds: BankArrays['sequenceIds'];
}

/** Several embeddings are searched together; each brings the vectors of the queries in it. */
export interface MergedEmbedding extends EmbeddingBank {
  curve: AgreementCurve;
  /** The vectors are Float32 [rows x dimension], and each row names its query. */
  vectors: Float32Array;
  queryOfRow: Int32Array;
}

export interface OpenEmbedding {
  search: NeighbourIndex;
  file: BankFile;
  distances: ReferenceDistances;
  /** Each sequence of the bank has this number in the embedding, -1 if it has no vector there. */
  numberOf: Int32Array;
  /** Each number in the embedding belongs to this sequence of the bank, -1 if the bank lacks it. */
  sequenceOf: Int32Array;
}

let open: { key: string; embeddings: OpenEmbedding[] } | null = null;

/** Opens the embeddings by the numbers of the bank's sequences. The last ones stay open. */
export async function openedEmbeddings(
  sequenceIds: Float64Array,
  banks: readonly EmbeddingBank[],
): Promise<readonly OpenEmbedding[]> {
  const key = banks.map(({ vectorsFile }) => vectorsFile).join('\n');
  if (open?.key === key) return open.embeddings;
  const before = open?.embeddings ?? [];
  open = null;
  for (const { search, file } of before) {
    file.close();
    await search.close();
  }
  const embeddings: OpenEmbedding[] = [];
  const sequenceOfId = numbersOf(sequenceIds);
  for (const { vectorsFile, sequenceIds: ids } of banks) {
    const file = new BankFile(vectorsFile);
    const numberOfId = numbersOf(ids);
    embeddings.push({
      search: openBank(vectorsFile, nativeKernels()),
      file,
      distances: new ReferenceDistances(file),
      numberOf: Int32Array.from(sequenceIds, (id) => numberOfId.get(id) ?? -1),
      sequenceOf: Int32Array.from(ids, (id) => sequenceOfId.get(id) ?? -1),
    });
  }
  open = { key, embeddings };
  return embeddings;
}

const numbersOf = (ids: Float64Array): ReadonlyMap<number, number> =>
  new Map(Array.from(ids, (id, number) => [id, number]));

export interface MergedOptions extends BankSearchOptions {
  subsets: readonly Int32Array[];
  /** A query that needs longer lists is compared with every vector. @default 1024 */
  longestLists?: number;
}

/** A search in several embeddings needs their curves and vectors; the main embedding belongs to the bank. */
export interface MergedWith {
  curve: AgreementCurve;
  others: readonly MergedEmbedding[];
}

export interface MergedQueries {
  embeddings: readonly MergedEmbedding[];
  count: number;
  /** Each query is this sequence of the bank, -1 for none: [count]. */
  sequence: Int32Array;
}

/** The first search asks for `factor` times k neighbours, and for `least` at least. */
const firstDepth = { factor: 2, least: 32 };
const depthFactor = 4;

/** Lists all embeddings, the main one first. */
export function allEmbeddings(
  { vectorsFile, arrays }: SearchedBank,
  main: Pick<MergedEmbedding, 'vectors' | 'queryOfRow'>,
  { curve, others }: MergedWith,
): MergedEmbedding[] {
  const { vectors, queryOfRow } = main;
  return [{ vectorsFile, sequenceIds: arrays.sequenceIds, curve, vectors, queryOfRow }, ...others];
}

/**
 * Finds the k nearest sequences of each query by merged distance, one list for each subset of the bank's
 * sequences. Equal distances keep the order of the first reference. The search is exact: the lists of each
 * embedding grow until no other sequence can be nearer.
 */
export async function searchMerged(
  { bank, sequenceIds }: { bank: Pick<OpenBank, 'firstReference'>; sequenceIds: Float64Array },
  queries: MergedQueries,
  options: MergedOptions,
): Promise<BankAnswer> {
  const opened = await openedEmbeddings(sequenceIds, queries.embeddings);
  return new MergedSearch({ firstReference: bank.firstReference, opened }, queries, options).run();
}

class MergedSearch {
  readonly #firstReference: Int32Array;
  /** The map leads from each first reference to its sequence; references have the order that breaks ties. */
  readonly #sequenceOfReference = new Map<number, number>();
  readonly #opened: readonly OpenEmbedding[];
  readonly #queries: MergedQueries;
  readonly #options: MergedOptions;
  readonly #rows: QueryRows[];
  readonly #lists: Neighbours[];
  #compared = 0;

  constructor(
    { firstReference, opened }: { firstReference: Int32Array; opened: readonly OpenEmbedding[] },
    queries: MergedQueries,
    options: MergedOptions,
  ) {
    this.#firstReference = firstReference;
    this.#opened = opened;
    this.#queries = queries;
    this.#options = options;
    firstReference.forEach((reference, sequence) => this.#sequenceOfReference.set(reference, sequence));
    this.#rows = queries.embeddings.map(({ vectors, queryOfRow }, e) =>
      orderQueries({ vectors, query: queryOfRow, count: queries.count }, opened[e].file.header.dimension),
    );
    const { k } = options;
    this.#lists = options.subsets.map(() => ({
      nQuery: queries.count,
      k,
      neighbours: new Int32Array(queries.count * k).fill(-1),
      distances: new Float32Array(queries.count * k).fill(Infinity),
    }));
  }

  async run(): Promise<BankAnswer> {
    const { k, subsets, isAborted, longestLists = 1024 } = this.#options;
    const most = Math.max(0, ...subsets.map(({ length }) => length));
    let open = Array.from({ length: this.#queries.count }, (_, query) => query);
    let depth = Math.max(firstDepth.least, firstDepth.factor * k);
    for (; open.length > 0 && depth <= longestLists; depth *= depthFactor) {
      open = await this.#search(open, Math.min(depth, Math.max(1, most)));
      if (depth >= most) break;
    }
    for (const query of open) {
      if (isAborted?.()) throw new DOMException('the search was cancelled', 'AbortError');
      subsets.forEach((members, subset) => this.#compareAll(query, subset, members));
    }
    return { lists: this.#lists, uncertified: open.length, compared: this.#compared };
  }

  /** Searches each embedding for some queries, and returns the queries whose lists were not long enough. */
  async #search(some: readonly number[], depth: number): Promise<number[]> {
    const { metric, includeSelf, subsets, isAborted } = this.#options;
    const answers: BankAnswer[] = [];
    for (const [e, { search, numberOf }] of this.#opened.entries()) {
      const answer = await search.search(this.#banked(some, e), {
        metric,
        k: depth,
        ...(includeSelf !== undefined && { includeSelf }),
        ...(isAborted !== undefined && { isAborted }),
        subsets: subsets.map((members) => members.map((sequence) => numberOf[sequence])),
      });
      this.#compared += answer.compared;
      answers.push(answer);
    }
    return some.filter((query, place) =>
      subsets
        .map((members, subset) => {
          const found = nearestMerged(
            answers.map(({ lists }, e) =>
              this.#listOf(lists[subset], { place, query, e, most: members.length }),
            ),
            this.#options.k,
          );
          if (found !== null) this.#keep(query, subset, found);
          return found;
        })
        .includes(null),
    );
  }

  /** Gives the queries in the form of one embedding. */
  #banked(some: readonly number[], e: number): QueryBank {
    const rows = this.#rows[e];
    const { dimension } = this.#opened[e].file.header;
    const parts = some.map((query) => vectorsOfQuery(rows, query, dimension));
    const vectors = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0) * dimension);
    parts.flat().forEach((vector, row) => vectors.set(vector, row * dimension));
    return {
      vectors,
      query: Int32Array.from(parts.flatMap((part, place) => part.map(() => place))),
      count: some.length,
      sequence: Int32Array.from(some, (query) => {
        const sequence = this.#queries.sequence[query];
        return sequence < 0 ? -1 : this.#opened[e].numberOf[sequence];
      }),
    };
  }

  #listOf(
    { neighbours, distances, k }: Neighbours,
    { place, query, e, most }: { place: number; query: number; e: number; most: number },
  ): QueryDistances {
    const { sequenceOf } = this.#opened[e];
    const nearest: { reference: number; distance: number }[] = [];
    for (let at = place * k; at < (place + 1) * k && neighbours[at] >= 0; at++)
      nearest.push({
        reference: this.#firstReference[sequenceOf[neighbours[at]]],
        distance: distances[at],
      });
    return {
      ...this.#embeddingOf(query, e),
      nearest,
      isComplete: nearest.length < k || nearest.length >= most,
    };
  }

  #embeddingOf(query: number, e: number): Pick<QueryDistances, 'curve' | 'distanceOf'> {
    const { distances, numberOf, file } = this.#opened[e];
    const vectors = vectorsOfQuery(this.#rows[e], query, file.header.dimension);
    return {
      curve: this.#queries.embeddings[e].curve,
      distanceOf: (reference) => {
        this.#compared++;
        const sequence = this.#sequenceOfReference.get(reference) as number;
        return distances.nearest(numberOf[sequence], vectors, this.#options.metric);
      },
    };
  }

  #compareAll(query: number, subset: number, members: Int32Array): void {
    const own = this.#options.includeSelf ? -1 : this.#queries.sequence[query];
    const embeddings = this.#opened.map((_, e): QueryDistances => {
      const embedding = this.#embeddingOf(query, e);
      // One complete list names all references, and the distances in the other embeddings follow from it.
      const nearest = Array.from(e === 0 ? members : members.subarray(0, 0))
        .filter((sequence) => sequence !== own)
        .map((sequence) => this.#firstReference[sequence])
        .map((reference) => ({ reference, distance: embedding.distanceOf(reference) }));
      return { ...embedding, nearest, isComplete: e === 0 };
    });
    this.#keep(query, subset, nearestMerged(embeddings, this.#options.k) ?? []);
  }

  #keep(query: number, subset: number, found: readonly MergedNeighbour[]): void {
    const { k, distanceThreshold = Infinity } = this.#options;
    const list = this.#lists[subset];
    found
      .filter(({ distance }) => distance <= Math.fround(distanceThreshold))
      .forEach(({ reference, distance }, i) => {
        list.neighbours[query * k + i] = this.#sequenceOfReference.get(reference) as number;
        list.distances[query * k + i] = distance;
      });
  }
}
