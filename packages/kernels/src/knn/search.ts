import { cosineDistance, squaredDistance } from './distance.js';
import type { NearestLists } from './nearest.js';
import { planSearch, type SearchPlan } from './plan.js';
import { dotBlocks, packPanels, panelRows, squaredBlocks, type TileJob } from './tile.js';
import type { Neighbours, QueryBank, VectorBank, SearchOptions } from './types.js';

/**
 * Searches the k nearest neighbours exactly, and returns one list of neighbours for each subset.
 *
 * A list has k distinct sequences, nearest first; equal distances are in order of accession rank. The distance of a sequence is the
 * minimum over its rows and the query's rows (chunks). If several references share a sequence, the list has the one with the lowest rank
 * within the subset, which represents all of them (see `groupReferences`). A query's own sequence is left out unless `includeSelf`. A
 * zero vector has cosine distance 1 to every vector. Sums use float64 in a fixed order and distances are rounded to float32 before
 * comparison, so block sizes and the order of the queries do not change the result.
 *
 * The cost is 2 (for l2, 3) x query rows x reference rows x dimension operations; the memory is the lists and a float64 copy of the
 * queries.
 * @throws RangeError for arrays with inconsistent lengths; the signal's reason on abort
 */
export function search(bank: VectorBank, queries: QueryBank, options: SearchOptions): Neighbours[] {
  const plan = planSearch(bank, queries, options);
  for (const share of searchSteps(plan, bank, queries, options)) {
    options.onProgress?.(share);
    options.signal?.throwIfAborted();
  }
  return plan.lists.map((list) => list.result());
}

/** Runs one step for each pair of blocks: pack, multiply, offer. Reference blocks are the outer loop, so that each is packed once. */
function* searchSteps(
  plan: SearchPlan,
  bank: VectorBank,
  queries: QueryBank,
  options: SearchOptions,
): Generator<number> {
  const { dimension } = bank;
  const queryBlock = blockRows(options.queryBlock, 32);
  const referenceBlock = blockRows(options.referenceBlock, 64);
  const queryRows = plan.queryOfRow.length;
  const packedQueries = packAll(queries.vectors, dimension, queryRows, queryBlock);
  const job: TileJob = {
    left: packedQueries[0] ?? new Float64Array(0),
    leftPanels: 0,
    right: new Float64Array(referenceBlock * dimension),
    rightPanels: 0,
    dimension,
    out: new Float64Array(queryBlock * referenceBlock),
    ld: referenceBlock,
  };
  const multiply = options.metric === 'cosine' ? dotBlocks : squaredBlocks;
  const nBlocks = Math.ceil(plan.rows.length / referenceBlock) * packedQueries.length;
  let done = 0;
  for (let start = 0; start < plan.rows.length; start += referenceBlock) {
    const rows = plan.rows.subarray(start, start + referenceBlock);
    job.rightPanels = packPanels(job.right, bank.vectors, dimension, rows);
    for (let block = 0; block < packedQueries.length; block++) {
      const first = block * queryBlock;
      job.left = packedQueries[block];
      job.leftPanels = job.left.length / (panelRows * dimension);
      multiply(job);
      offerBlock({ plan, bank, job, rows, first, count: Math.min(queryBlock, queryRows - first) });
      yield ++done / nBlocks;
    }
  }
}

interface OfferedBlock {
  plan: SearchPlan;
  bank: VectorBank;
  job: TileJob;
  /** The rows of the bank in the columns of the block. */
  rows: Int32Array;
  /** The first query row of the block, and the number of rows. */
  first: number;
  count: number;
}

function offerBlock({ plan, bank, job, rows, first, count }: OfferedBlock): void {
  const cosine = plan.queryNorms.length > 0;
  const { lists, subsetBits } = plan;
  for (let i = 0; i < count; i++) {
    const query = plan.queryOfRow[first + i];
    const excluded = plan.excluded[query];
    const norm = cosine ? plan.queryNorms[first + i] : 0;
    let bound = loosestBound(lists, query);
    for (let j = 0, o = i * job.ld; j < rows.length; j++, o++) {
      const sum = job.out[o];
      const distance = cosine
        ? cosineDistance(sum, norm * plan.referenceNorms[rows[j]])
        : squaredDistance(sum);
      if (!(distance <= bound)) continue;
      const reference = bank.reference[rows[j]];
      if (excluded >= 0 && bank.sequence[reference] === excluded) continue;
      for (let s = 0, bits = subsetBits[reference]; bits !== 0; s++, bits >>= 1) {
        if (bits & 1) lists[s].offer(query, reference, distance);
      }
      bound = loosestBound(lists, query);
    }
  }
}

function loosestBound(lists: NearestLists[], query: number): number {
  let bound = lists[0].bound[query];
  for (let s = 1; s < lists.length; s++) bound = Math.max(bound, lists[s].bound[query]);
  return bound;
}

function packAll(vectors: Float32Array, dimension: number, rows: number, block: number): Float64Array[] {
  const packed: Float64Array[] = [];
  for (let start = 0; start < rows; start += block) {
    const count = Math.min(block, rows - start);
    const panels = new Float64Array(Math.ceil(count / panelRows) * panelRows * dimension);
    packPanels(
      panels,
      vectors,
      dimension,
      Int32Array.from({ length: count }, (_, i) => start + i),
    );
    packed.push(panels);
  }
  return packed;
}

function blockRows(wanted: number | undefined, usual: number): number {
  const rows = wanted ?? usual;
  if (!Number.isInteger(rows) || rows < 1) throw new RangeError(`a block has 1 row or more, got ${rows}`);
  return Math.ceil(rows / panelRows) * panelRows;
}
