import {
  cosineDistance,
  type Neighbours,
  NearestLists,
  type QueryBank,
  squaredDistance,
} from '@kindred/kernels/knn';
import { BankFile } from './bank-file.js';
import { type CandidateOrder, WaitingList } from './candidates.js';
import { Intervals } from './intervals.js';
import {
  type BankAnswer,
  type BankSearchOptions,
  type NeighbourIndex,
  searchAborted,
} from './neighbour-index.js';
import { type BlockProducts, openProducts } from './products.js';
import { checkSearch, markSubsets, orderQueries, type QueryRows } from './query-rows.js';
import { createScoreScan, type ScoreScan, scanColumns } from './scan.js';

const usualBlockRows = 16_384;
/** Fewer rows where they are long: a block stays below this. */
const blockBytes = 64 << 20;
/** Query rows of one product: enough for the arithmetic to run at full speed, few enough that its result stays in the cache. */
const queryBlock = 256;

export interface BlockOptions {
  /** Rows of the bank in one product; changes the speed and the memory, never the answer. @default 16384 */
  blockRows?: number;
}

/**
 * Searches a bank without the addon: float32 products of blocks by onnxruntime choose what may be a neighbour, with
 * proven error bounds, and that is compared in float64, as the definition has it. The bank is read block by block;
 * memory beside the system's cache of the file: a block of rows, the products, a few dozen candidates a query.
 *
 * @returns null where onnxruntime is not installed
 */
export async function openBlockBank(
  path: string,
  { blockRows = usualBlockRows }: BlockOptions = {},
): Promise<NeighbourIndex | null> {
  const single = await openProducts(1);
  if (single === null) return null;
  const products = new Map<number, BlockProducts>([[1, single]]);
  const file = new BankFile(path);
  const space = makeSpace(file, blockRows);
  // Searches share the space, so they take turns.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    header: file.header,
    method: 'blocks',
    async search(queries, options) {
      const threads = options.threads ?? 1;
      if (!Number.isInteger(threads) || threads < 1)
        throw new RangeError(`threads must be an integer of 1 or more, got ${threads}`);
      const multiply = products.get(threads) ?? ((await openProducts(threads)) as BlockProducts);
      products.set(threads, multiply);
      const search = new BlockSearch(file, { ...space, products: multiply }, queries, options);
      const answer = turn.then(() => search.run());
      turn = answer.catch(() => {});
      return answer;
    },
    async close() {
      file.close();
      await Promise.all([...products.values()].map((each) => each.close()));
    },
  };
}

/** What searches of one bank use in turn: kept, since it is large. */
interface Space {
  rows: number;
  /** Float32 [rows x dimension] */
  block: Float32Array;
  /** Float32 [queryBlock x dimension] */
  queries: Float32Array;
  scan: ScoreScan;
}

function makeSpace({ header }: BankFile, blockRows: number): Space {
  const { dimension } = header;
  const rows = Math.max(1, Math.min(blockRows, header.rows, Math.floor(blockBytes / (4 * dimension))));
  return {
    rows,
    block: new Float32Array(rows * dimension),
    queries: new Float32Array(queryBlock * dimension),
    scan: createScoreScan(queryBlock, rows),
  };
}

class BlockSearch {
  private readonly rows: QueryRows;
  private readonly queryNorms: Float64Array;
  private readonly queryOfRow: Int32Array;
  private readonly subsetBits: Uint8Array | null;
  private readonly lists: NearestLists[];
  private readonly waiting: WaitingList[];
  /** Queries that products say nothing about. */
  private readonly inFull: Set<number>;
  private readonly intervals: Intervals;
  private readonly longestRow: number;
  private readonly single: Float32Array;
  private compared = 0;

  constructor(
    private readonly file: BankFile,
    private readonly space: Space & { products: BlockProducts },
    queries: QueryBank,
    private readonly options: BankSearchOptions,
  ) {
    const { dimension, references } = file.header;
    const { k, metric, distanceThreshold, subsets } = options;
    checkSearch(k, metric, distanceThreshold);
    this.rows = orderQueries(queries, dimension, options.includeSelf);
    this.subsetBits = subsets ? markSubsets(subsets, references) : null;
    const threshold = Math.fround(distanceThreshold ?? Number.POSITIVE_INFINITY);
    const nSubsets = subsets?.length ?? 1;
    this.lists = Array.from(
      { length: nSubsets },
      () => new NearestLists(this.rows.nQuery, k, file, threshold),
    );
    const order = this.order(nSubsets);
    this.waiting = Array.from({ length: this.rows.nQuery }, () => new WaitingList(k, order));
    this.intervals = new Intervals(metric, dimension, file.norms);
    this.longestRow = file.norms.reduce(
      (longest, norm, row) => (this.intervals.isOrdinary(row) && norm > longest ? norm : longest),
      0,
    );
    this.single = new Float32Array(dimension);
    this.queryOfRow = queryOfEachRow(this.rows);
    this.queryNorms = this.measureQueries(dimension);
    this.inFull = this.unusableQueries();
  }

  async run(): Promise<BankAnswer> {
    const { dimension, rows } = this.file.header;
    for (let first = 0; first < rows; first += this.space.rows) {
      const count = Math.min(this.space.rows, rows - first);
      const references = this.space.block.subarray(0, count * dimension);
      this.file.readRows(first, references);
      await this.searchBlock(references, first, count);
      for (const query of this.inFull) this.compareBlock(query, references, first);
      this.options.onProgress?.((first + count) / rows);
    }
    for (let query = 0; query < this.rows.nQuery; query++) this.settle(query);
    this.lookForAbort();
    if (this.options.control) Atomics.add(this.options.control, 1, this.rows.nQuery);
    const lists: Neighbours[] = this.lists.map((list) => list.result());
    return { lists, uncertified: this.inFull.size, compared: this.compared };
  }

  private async searchBlock(references: Float32Array, first: number, count: number): Promise<void> {
    const { dimension } = this.file.header;
    const { scan, products } = this.space;
    this.weigh(scan, first, count);
    for (let begin = 0; begin < this.queryOfRow.length; begin += queryBlock) {
      this.lookForAbort();
      const some = Math.min(queryBlock, this.queryOfRow.length - begin);
      const queries = this.space.queries.subarray(0, some * dimension);
      this.copyQueries(begin, queries);
      const scores = scan.scores.subarray(0, some * count);
      await products.multiply({ queries, references, scores, dimension });
      for (let i = 0; i < some; i++) this.takeRow(scan, begin + i, { at: i * count, first, count });
    }
  }

  private order(subsets: number): CandidateOrder {
    const { reference, sequence } = this.file;
    const numbers = Int32Array.from(reference, (r) => sequence[r]).sort();
    return {
      subsets,
      distinct: numbers.every((number, at) => at === 0 || number !== numbers[at - 1]),
      sequenceOfRow: (row) => sequence[reference[row]],
      inSubset: (row, subset) => this.inSubset(row, subset),
    };
  }

  private inSubset(row: number, subset: number): boolean {
    return this.subsetBits === null || ((this.subsetBits[this.file.reference[row]] >> subset) & 1) === 1;
  }

  /** Lengths of the query rows. @throws RangeError for numbers that are not finite */
  private measureQueries(dimension: number): Float64Array {
    const { vectors } = this.rows;
    return Float64Array.from(this.queryOfRow, (query, row) => {
      let sum = 0;
      for (let i = row * dimension, end = i + dimension; i < end; i++) sum += vectors[i] * vectors[i];
      if (!Number.isFinite(sum)) throw new RangeError(`query ${query} holds a number that is not finite`);
      return Math.sqrt(sum);
    });
  }

  private unusableQueries(): Set<number> {
    const unusable = new Set<number>();
    this.queryOfRow.forEach((query, row) => {
      if (!this.intervals.isUsable(this.queryNorms[row], this.longestRow)) unusable.add(query);
    });
    return unusable;
  }

  /** What products with the rows of a block are to be multiplied with and moved by; rows of no subset never hit. */
  private weigh(scan: ScoreScan, first: number, count: number): void {
    for (let j = 0; j < count; j++) {
      const out = this.subsetBits !== null && this.subsetBits[this.file.reference[first + j]] === 0;
      scan.scale[j] = out ? 0 : this.intervals.scale(first + j);
      scan.bias[j] = out ? Number.NEGATIVE_INFINITY : this.intervals.bias(first + j);
    }
  }

  /** For cosine at length 1. */
  private copyQueries(begin: number, target: Float32Array): void {
    const { dimension } = this.file.header;
    const { vectors } = this.rows;
    const scaled = this.options.metric === 'cosine';
    for (let at = 0, from = begin * dimension; at < target.length; ) {
      const norm = this.queryNorms[begin + at / dimension];
      const divisor = scaled && norm > 0 ? norm : 1;
      for (const end = at + dimension; at < end; ) target[at++] = vectors[from++] / divisor;
    }
  }

  private takeRow(
    scan: ScoreScan,
    queryRow: number,
    block: { at: number; first: number; count: number },
  ): void {
    const query = this.queryOfRow[queryRow];
    if (this.inFull.has(query)) return;
    const norm = this.queryNorms[queryRow];
    const waiting = this.waiting[query];
    const excluded = this.rows.excluded[query];
    for (let start = 0; start < block.count; ) {
      const bound = this.bound(query);
      const least = this.intervals.leastValue(bound, norm, this.longestRow);
      // As long as everything is a candidate, a little at a time.
      const step = bound === Number.POSITIVE_INFINITY ? waiting.room : scanColumns;
      const columns = Math.min(step, scanColumns, block.count - start);
      const hits = scan.find(block.at + start, start, columns, least);
      for (let h = 0; h < hits; h++) {
        const column = start + scan.hits[h];
        const row = block.first + column;
        if (excluded >= 0 && this.file.sequence[this.file.reference[row]] === excluded) continue;
        const { middle, half } = this.intervals.interval(scan.scores[block.at + column], norm, row);
        if (!this.mayEnter(query, row, middle - half)) continue;
        waiting.push(row, queryRow, middle - half, middle + half);
        if (waiting.size === waiting.room) this.makeRoom(query);
      }
      start += columns;
    }
  }

  /** The largest distance with which some row may still enter some list. */
  private bound(query: number): number {
    let most = 0;
    for (let s = 0; s < this.lists.length; s++) most = Math.max(most, this.boundOf(query, s));
    return most;
  }

  private boundOf(query: number, subset: number): number {
    const listed = this.intervals.widen(this.lists[subset].bound[query]);
    return Math.min(listed, this.waiting[query].proven[subset]);
  }

  private mayEnter(query: number, row: number, least: number): boolean {
    for (let s = 0; s < this.lists.length; s++)
      if (least <= this.boundOf(query, s) && this.inSubset(row, s)) return true;
    return false;
  }

  private makeRoom(query: number): void {
    const waiting = this.waiting[query];
    waiting.prove((distance) => this.intervals.widen(distance));
    waiting.filter((row, least) => this.mayEnter(query, row, least));
    if (waiting.size > 0.75 * waiting.room) this.settle(query);
  }

  /** Compares waiting candidates, the most promising first, leaving out those that cannot enter a list any more. */
  private settle(query: number): void {
    const waiting = this.waiting[query];
    for (const i of waiting.byPromise()) {
      if (!this.mayEnter(query, waiting.row[i], waiting.least[i])) continue;
      this.file.readRows(waiting.row[i], this.single);
      this.compare(waiting.row[i], waiting.queryRow[i], this.single, 0);
    }
    waiting.size = 0;
  }

  private compareBlock(query: number, references: Float32Array, first: number): void {
    const { dimension } = this.file.header;
    const excluded = this.rows.excluded[query];
    for (let row = first, at = 0; at < references.length; row++, at += dimension) {
      if (row % 1024 === 0) this.lookForAbort();
      if (excluded >= 0 && this.file.sequence[this.file.reference[row]] === excluded) continue;
      for (let queryRow = this.rows.rowStart[query]; queryRow < this.rows.rowStart[query + 1]; queryRow++)
        this.compare(row, queryRow, references, at);
    }
  }

  /** Offers the row to the lists at its distance by the definition; its vector lies in `vectors` from `at` on. */
  // oxlint-disable-next-line eslint/max-params -- innermost loop: an object for each call would cost more than the work
  private compare(row: number, queryRow: number, vectors: Float32Array, at: number): void {
    const { dimension } = this.file.header;
    const own = this.rows.vectors;
    const from = queryRow * dimension;
    let sum = 0;
    let distance: number;
    if (this.options.metric === 'cosine') {
      for (let i = 0; i < dimension; i++) sum += own[from + i] * vectors[at + i];
      distance = cosineDistance(sum, this.queryNorms[queryRow] * this.file.norms[row]);
    } else {
      for (let i = 0; i < dimension; i++) {
        const difference = own[from + i] - vectors[at + i];
        sum += difference * difference;
      }
      distance = squaredDistance(sum);
    }
    this.compared++;
    const query = this.queryOfRow[queryRow];
    for (let s = 0; s < this.lists.length; s++)
      if (this.inSubset(row, s)) this.lists[s].offer(query, this.file.reference[row], distance);
  }

  private lookForAbort(): void {
    const { isAborted, control, signal } = this.options;
    if (isAborted?.() || (control && Atomics.load(control, 0) !== 0)) throw searchAborted();
    signal?.throwIfAborted();
  }
}

function queryOfEachRow({ rowStart, nQuery }: QueryRows): Int32Array {
  const queryOfRow = new Int32Array(rowStart[nQuery]);
  for (let query = 0; query < nQuery; query++) queryOfRow.fill(query, rowStart[query], rowStart[query + 1]);
  return queryOfRow;
}
