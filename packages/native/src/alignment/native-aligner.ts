import {
  type AlignmentMode,
  type AlignmentPairs,
  type AlignmentTable,
  abortError,
  alignmentTable,
  checkPairs,
  checkScoring,
  defaultScoring,
  type PairAligner,
} from '@kindred/kernels/alignment';
import { concatenateRows } from '@kindred/kernels/arrays';
import type { Instructions, NativeAddon } from '../addon.js';
import { type LaneBatch, paddedMatrix, planBatches } from './plan.js';

const modes: Record<AlignmentMode, number> = { global: 0, local: 1, overlap: 2 };
/** The work between two checks of progress and cancellation: this number of batches, or a few tenths of a second of cells. */
const sliceBatches = 32;
const sliceCells = { vector: 2e8, plain: 4e7 };
const defaultTraceBytes = 64 << 20;

/**
 * Aligns 16 (AVX2) or 32 (AVX-512) pairs at a time, with up to four queries in a batch. Pairs whose scores may exceed 16 bits are aligned
 * one by one in 32 bits. Results are identical to alignPlain.
 *
 * @param traceBytes memory for traces; smaller values take more time, but do not change results
 */
export function createNativeAligner(
  addon: NativeAddon,
  instructions: Instructions,
  traceBytes: number = defaultTraceBytes,
): PairAligner {
  const { lanes, groups } = addon.alignShape({ instructions });
  return {
    name: instructions === 'avxvnni' ? 'avx2' : instructions,
    align(pairs, options) {
      const scoring = options.scoring ?? defaultScoring;
      checkScoring(scoring);
      checkPairs(pairs);
      const { codes, start } = concatenateRows(pairs.sequences);
      const out = new Int32Array(pairs.query.length * 5);
      const shared = {
        codes,
        start,
        query: pairs.query,
        target: pairs.target,
        mode: modes[options.mode],
        gapOpen: scoring.gapOpen,
        gapExtend: scoring.gapExtend,
        matrix: paddedMatrix(scoring),
        traceBytes,
        out,
        isAborted: options.isAborted,
      };
      const plan = planBatches(pairs, scoring, lanes, groups as 1 | 2 | 4);
      const wide = plan.wide.map((pair): LaneBatch => ({ lanes: Int32Array.of(pair), groups: 1 }));
      let done = 0;
      const run = (batches: LaneBatch[], set: Instructions, maxCells: number): void => {
        for (const slice of slices(batches, pairs, maxCells)) {
          if (options.isAborted?.()) throw abortError();
          if (!addon.align({ ...shared, instructions: set, ...packBatches(slice) })) throw abortError();
          for (const batch of slice) for (const pair of batch.lanes) done += pair >= 0 ? 1 : 0;
          options.onProgress?.(done);
        }
      };
      run(plan.batches, instructions, instructions === 'plain' ? sliceCells.plain : sliceCells.vector);
      run(wide, 'plain', sliceCells.plain);
      return readTable(out, pairs.query.length);
    },
  };
}

/** Divides batches into slices. A batch that is too large becomes a separate slice. */
function* slices(
  batches: readonly LaneBatch[],
  pairs: AlignmentPairs,
  maxCells: number,
): Generator<LaneBatch[]> {
  let slice: LaneBatch[] = [];
  let cells = 0;
  for (const batch of batches) {
    const more = cellsOf(batch, pairs);
    if (slice.length > 0 && (slice.length === sliceBatches || cells + more > maxCells)) {
      yield slice;
      slice = [];
      cells = 0;
    }
    slice.push(batch);
    cells += more;
  }
  if (slice.length > 0) yield slice;
}

function cellsOf({ lanes }: LaneBatch, { sequences, query, target }: AlignmentPairs): number {
  let cells = 0;
  for (const pair of lanes)
    if (pair >= 0) cells += sequences[query[pair]].length * sequences[target[pair]].length;
  return cells;
}

function packBatches(batches: LaneBatch[]): { lanes: Int32Array; groups: Uint8Array } {
  const lanes = new Int32Array(batches.reduce((sum, batch) => sum + batch.lanes.length, 0));
  let at = 0;
  for (const batch of batches) {
    lanes.set(batch.lanes, at);
    at += batch.lanes.length;
  }
  return { lanes, groups: Uint8Array.from(batches, (batch) => batch.groups) };
}

function readTable(out: Int32Array, pairs: number): AlignmentTable {
  const table = alignmentTable(pairs);
  for (let p = 0; p < pairs; p++) {
    table.score[p] = out[5 * p];
    table.identical[p] = out[5 * p + 1];
    table.similar[p] = out[5 * p + 2];
    table.gaps[p] = out[5 * p + 3];
    table.length[p] = out[5 * p + 4];
  }
  return table;
}
