import {
  cosineDistance,
  type Neighbours,
  NearestLists,
  type QueryBank,
  squaredDistance,
} from '@kindred/kernels/knn';
import { BankFile } from './bank-file.js';
import { type CandidateOrder, WaitingList } from './candidates.js';
import { groupRows } from './format.js';
import {
  type BankAnswer,
  type BankSearchOptions,
  type NeighbourIndex,
  searchAborted,
} from './neighbour-index.js';
import { QueryCodes } from './query-codes.js';
import { checkSearch, markSubsets, orderQueries, type QueryRows } from './query-rows.js';
import { type BlockScan, createBlockScan, type ScanQueries } from './scan.js';

/** The number of rows of a block, so small that the products of a block stay in the processor's cache. */
const defaultBlockRows = 1024;
/** The maximum number of query rows in a product. */
const queryBlock = 256;
/** The bound of a row that must never be found. */
const never = -1e37;
/** The number of candidates from which on a query is compared with every row, if they are also more than an eighth of the bank. */
const maxCompared = 4096;

export interface BlockOptions {
  /** The number of rows of the bank in one product, rounded up to groups. It affects speed and memory, not the result. @default 1024 */
  blockRows?: number;
}

/**
 * Searches a bank without the addon: WebAssembly computes integer products of the codes of bank and queries. Proven bounds (see
 * format.ts) select candidates, which are then compared exactly in float64. The bank is read block by block. Besides the system's file
 * cache, the memory is that of the codes of a block and of the queries, of the products, and of a few dozen candidates for each query.
 */
export function openBlockBank(
  path: string,
  { blockRows = defaultBlockRows }: BlockOptions = {},
): NeighbourIndex {
  const file = new BankFile(path);
  const rows = Math.ceil(Math.min(blockRows, file.header.rows) / groupRows) * groupRows;
  const space = {
    rows,
    distinct: hasDistinctSequences(file),
    scan: createBlockScan(rows, widthOf(file), queryBlock),
  };
  return {
    header: file.header,
    method: 'blocks',
    search: async (queries, { threads: _oneThreadOnly, ...options }) =>
      new BlockSearch(file, space, queries, options).run(),
    async close() {
      file.close();
    },
  };
}

/** Returns the number of bytes of a row's codes: the dimension rounded up to four. */
const widthOf = ({ header }: BankFile): number => Math.ceil(header.dimension / 4) * 4;

/** Says whether no two rows of the bank belong to equal sequences. */
function hasDistinctSequences({ reference, sequence }: BankFile): boolean {
  const numbers = Int32Array.from(reference, (r) => sequence[r]).sort();
  return numbers.every((number, at) => at === 0 || number !== numbers[at - 1]);
}

/** Buffers and facts that the searches of a bank use again, because they are large, or slow to compute. */
interface Space {
  /** The number of rows, a multiple of sixteen. */
  rows: number;
  /** Whether no two rows share a sequence; see CandidateOrder. */
  distinct: boolean;
  scan: BlockScan;
}

/** A part of the query rows. */
interface QueryPart {
  first: number;
  count: number;
  /** The `count` rounded up to eight. */
  columns: number;
  codes: Int16Array;
}

class BlockSearch {
  readonly #rows: QueryRows;
  readonly #codes: QueryCodes;
  readonly #parts: QueryPart[];
  readonly #queryOfRow: Int32Array;
  /** The bounds below which rows are skipped: Float32 [query rows]. */
  readonly #minBounds: Float32Array;
  readonly #subsetBits: Uint8Array | null;
  readonly #lists: NearestLists[];
  readonly #waiting: WaitingList[];
  /** The number of exact comparisons of each query. */
  readonly #comparisons: Int32Array;
  /** The queries for which the products are not usable or exclude too few rows. */
  readonly #inFull = new Set<number>();
  readonly #single: Float32Array;
  #compared = 0;

  readonly #file: BankFile;
  readonly #space: Space;
  readonly #options: BankSearchOptions;

  constructor(file: BankFile, space: Space, queries: QueryBank, options: BankSearchOptions) {
    this.#file = file;
    this.#space = space;
    this.#options = options;
    const { dimension, references } = file.header;
    const { k, metric, distanceThreshold, subsets } = options;
    checkSearch(k, metric, distanceThreshold);
    this.#rows = orderQueries(queries, dimension, options.includeSelf);
    this.#subsetBits = subsets ? markSubsets(subsets, references) : null;
    const threshold = Math.fround(distanceThreshold ?? Number.POSITIVE_INFINITY);
    const nSubsets = subsets?.length ?? 1;
    this.#lists = Array.from(
      { length: nSubsets },
      () => new NearestLists(this.#rows.nQuery, k, file, threshold),
    );
    const order = this.#order(nSubsets);
    this.#waiting = Array.from({ length: this.#rows.nQuery }, () => new WaitingList(k, order));
    this.#comparisons = new Int32Array(this.#rows.nQuery);
    this.#single = new Float32Array(dimension);
    this.#queryOfRow = queryOfEachRow(this.#rows);
    this.#codes = new QueryCodes(metric, this.#rows.vectors, file);
    this.#parts = this.#prepareParts();
    this.#queryOfRow.forEach((query, row) => {
      if (!this.#codes.isUsable(row)) this.#inFull.add(query);
    });
    this.#minBounds = new Float32Array(this.#queryOfRow.length);
    for (let query = 0; query < this.#rows.nQuery; query++) this.#ask(query);
  }

  #prepareParts(): QueryPart[] {
    const total = this.#queryOfRow.length;
    return Array.from({ length: Math.ceil(total / queryBlock) }, (_, part) => {
      const first = part * queryBlock;
      const count = Math.min(queryBlock, total - first);
      const columns = Math.ceil(count / 8) * 8;
      return { first, count, columns, codes: this.#codes.block(first, count, columns) };
    });
  }

  run(): BankAnswer {
    const { rows } = this.#file.header;
    for (let first = 0; first < rows; first += this.#space.rows) {
      const count = Math.min(this.#space.rows, rows - first);
      this.#searchBlock(first, count);
      this.#options.onProgress?.((first + count) / rows);
    }
    for (let query = 0; query < this.#rows.nQuery; query++) this.#settle(query);
    this.#compareInFull();
    this.#lookForAbort();
    if (this.#options.control) Atomics.add(this.#options.control, 1, this.#rows.nQuery);
    const lists: Neighbours[] = this.#lists.map((list) => list.result());
    return { lists, uncertified: this.#inFull.size, compared: this.#compared };
  }

  #searchBlock(first: number, count: number): void {
    const { scan } = this.#space;
    const width = widthOf(this.#file);
    const groups = Math.ceil(count / groupRows);
    const height = groups * groupRows;
    const numbers = scan.numbers.subarray(0, groups * 5 * groupRows);
    this.#file.readGroups(
      first / groupRows,
      this.#options.metric,
      scan.codes.subarray(0, height * width),
      numbers,
    );
    this.#hideOthers(numbers, first, count);
    for (const part of this.#parts) {
      this.#lookForAbort();
      scan.queryCodes.set(part.codes);
      scan.multiply(groups, part.columns);
      this.#takePairs(part, first, count);
    }
  }

  /** Excludes the rows that are in no subset. */
  #hideOthers(numbers: Float32Array, first: number, count: number): void {
    if (this.#subsetBits === null) return;
    for (let row = 0; row < count; row++)
      if (this.#subsetBits[this.#file.reference[first + row]] === 0) numbers[numberAt(row, 1)] = never;
  }

  #takePairs(part: QueryPart, first: number, count: number): void {
    const { scan } = this.#space;
    const { columns } = part;
    const asked = this.#load(part);
    for (let row = 0; row < count; ) {
      const { found, next } = scan.find(columns, row, count);
      for (let i = 0; i < found; i++) {
        const pair = scan.pairs[i];
        const column = pair % columns;
        if (column < part.count)
          this.#take((pair - column) / columns, part.first + column, scan.bounds[i], first);
      }
      row = next;
      asked.minBounds.set(this.#minBounds.subarray(part.first, part.first + part.count));
    }
  }

  #load({ first, count, columns }: QueryPart): ScanQueries {
    const asked = this.#space.scan.queries(columns);
    const codes = this.#codes;
    const end = first + count;
    asked.bias.set(codes.bias.subarray(first, end));
    asked.scale.set(codes.scale.subarray(first, end));
    asked.onMean.set(codes.onMean.subarray(first, end));
    asked.rest.set(codes.rest.subarray(first, end));
    asked.length.set(codes.length.subarray(first, end));
    asked.minBounds.fill(Number.POSITIVE_INFINITY, count);
    asked.minBounds.set(this.#minBounds.subarray(first, end));
    return asked;
  }

  // oxlint-disable-next-line eslint/max-params -- innermost loop: an object for each call would cost more than the work
  #take(rowInBlock: number, queryRow: number, bound: number, first: number): void {
    const query = this.#queryOfRow[queryRow];
    if (this.#inFull.has(query)) return;
    const row = first + rowInBlock;
    const excluded = this.#rows.excluded[query];
    if (excluded >= 0 && this.#file.sequence[this.#file.reference[row]] === excluded) return;
    const { numbers } = this.#space.scan;
    const rests = [numbers[numberAt(rowInBlock, 3)], numbers[numberAt(rowInBlock, 4)]] as const;
    const { min, max } = this.#codes.interval(queryRow, bound, rests);
    if (!this.#mayEnter(query, row, min)) return;
    const waiting = this.#waiting[query];
    waiting.push(row, queryRow, min, max);
    if (waiting.size === waiting.room) this.#makeRoom(query);
  }

  #order(subsets: number): CandidateOrder {
    const { reference, sequence } = this.#file;
    return {
      subsets,
      distinct: this.#space.distinct,
      sequenceOfRow: (row) => sequence[reference[row]],
      inSubset: (row, subset) => this.#inSubset(row, subset),
    };
  }

  #inSubset(row: number, subset: number): boolean {
    return this.#subsetBits === null || ((this.#subsetBits[this.#file.reference[row]] >> subset) & 1) === 1;
  }

  /** Sets the minimum bound of the scan. Rows below it cannot enter any list of the query. */
  #ask(query: number): void {
    let max = 0;
    for (let s = 0; s < this.#lists.length; s++) max = Math.max(max, this.#boundOf(query, s));
    const none = this.#inFull.has(query);
    for (let row = this.#rows.rowStart[query]; row < this.#rows.rowStart[query + 1]; row++)
      this.#minBounds[row] = none ? Number.POSITIVE_INFINITY : this.#codes.minBound(row, max);
  }

  /** Returns the maximum distance, before rounding, with which a row can still enter the list. */
  #boundOf(query: number, subset: number): number {
    const listed = this.#widen(this.#lists[subset].bound[query]);
    return Math.min(listed, this.#waiting[query].proven[subset]);
  }

  /** Returns the maximum unrounded distance that can become `distance` by rounding. */
  #widen(distance: number): number {
    return distance * (1 + 2 ** -22) + (this.#options.metric === 'cosine' ? 2e-12 : 2e-24);
  }

  #mayEnter(query: number, row: number, min: number): boolean {
    for (let s = 0; s < this.#lists.length; s++)
      if (min <= this.#boundOf(query, s) && this.#inSubset(row, s)) return true;
    return false;
  }

  #makeRoom(query: number): void {
    const waiting = this.#waiting[query];
    waiting.prove((distance) => this.#widen(distance));
    waiting.filter((row, min) => this.#mayEnter(query, row, min));
    if (waiting.size > 0.75 * waiting.room) {
      const many = Math.max(maxCompared, this.#file.header.rows / 8);
      if (this.#comparisons[query] > many) this.#inFull.add(query);
      else this.#settle(query);
    }
    this.#ask(query);
  }

  /** Compares waiting candidates, the most promising first, and skips those that can no longer enter a list. */
  #settle(query: number): void {
    const waiting = this.#waiting[query];
    for (const i of this.#inFull.has(query) ? [] : waiting.byPromise()) {
      if (!this.#mayEnter(query, waiting.row[i], waiting.min[i])) continue;
      this.#file.readRows(waiting.row[i], this.#single);
      this.#comparisons[query]++;
      this.#compare(waiting.row[i], waiting.queryRow[i], this.#single, 0);
    }
    waiting.size = 0;
  }

  /** Compares every row, for zero vectors, vectors of extreme length, and queries with too many candidates. */
  #compareInFull(): void {
    if (this.#inFull.size === 0) return;
    const { dimension, rows } = this.#file.header;
    const block = new Float32Array(Math.min(this.#space.rows, rows) * dimension);
    for (let first = 0; first < rows; first += this.#space.rows) {
      const vectors = block.subarray(0, Math.min(this.#space.rows, rows - first) * dimension);
      this.#file.readRows(first, vectors);
      for (const query of this.#inFull) {
        this.#lookForAbort();
        this.#compareBlock(query, vectors, first);
      }
    }
  }

  #compareBlock(query: number, references: Float32Array, first: number): void {
    const { dimension } = this.#file.header;
    const excluded = this.#rows.excluded[query];
    for (let row = first, at = 0; at < references.length; row++, at += dimension) {
      if (excluded >= 0 && this.#file.sequence[this.#file.reference[row]] === excluded) continue;
      for (let queryRow = this.#rows.rowStart[query]; queryRow < this.#rows.rowStart[query + 1]; queryRow++)
        this.#compare(row, queryRow, references, at);
    }
  }

  /** Offers the row to the lists with its exact distance. Its vector starts at `vectors[at]`. */
  // oxlint-disable-next-line eslint/max-params -- innermost loop: an object for each call would cost more than the work
  #compare(row: number, queryRow: number, vectors: Float32Array, at: number): void {
    const { dimension } = this.#file.header;
    const own = this.#rows.vectors;
    const from = queryRow * dimension;
    let sum = 0;
    let distance: number;
    if (this.#options.metric === 'cosine') {
      for (let i = 0; i < dimension; i++) sum += own[from + i] * vectors[at + i];
      distance = cosineDistance(sum, this.#codes.normOf(queryRow) * this.#file.norms[row]);
    } else {
      for (let i = 0; i < dimension; i++) {
        const difference = own[from + i] - vectors[at + i];
        sum += difference * difference;
      }
      distance = squaredDistance(sum);
    }
    this.#compared++;
    const query = this.#queryOfRow[queryRow];
    for (let s = 0; s < this.#lists.length; s++)
      if (this.#inSubset(row, s)) this.#lists[s].offer(query, this.#file.reference[row], distance);
  }

  #lookForAbort(): void {
    const { isAborted, control, signal } = this.#options;
    if (isAborted?.() || (control && Atomics.load(control, 0) !== 0)) throw searchAborted();
    signal?.throwIfAborted();
  }
}

function queryOfEachRow({ rowStart, nQuery }: QueryRows): Int32Array {
  const queryOfRow = new Int32Array(rowStart[nQuery]);
  for (let query = 0; query < nQuery; query++) queryOfRow.fill(query, rowStart[query], rowStart[query + 1]);
  return queryOfRow;
}

/** Returns the offset of number `n` (A, B, C, H, G) of a row of the block. */
function numberAt(row: number, n: number): number {
  const lane = row % groupRows;
  return (row - lane) * 5 + n * groupRows + lane;
}
