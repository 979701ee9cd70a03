import type { AlignmentScoring } from './alignment.js';
import { alphabetSize } from './residues.js';

/** A local alignment, column by column. */
export interface TracedAlignment {
  score: number;
  /** The first residue of each sequence in the alignment, from 0. */
  queryStart: number;
  targetStart: number;
  /** The number of residues of each sequence in the alignment. */
  queryResidues: number;
  targetResidues: number;
  /** The rows of the alignment as codes, both of the same length; -1 is a gap. */
  query: Int8Array;
  target: Int8Array;
}

const fromPair = 1;
const fromQueryGap = 2;
const fromTargetGap = 3;
const opensQueryGap = 4;
const opensTargetGap = 8;

/**
 * Finds the best local alignment of two sequences with its columns (Smith-Waterman, affine gaps). Among equal ones the one that ends
 * first is taken. Null means that no pair of residues scores above 0.
 *
 * The cost and the memory are a byte for each cell of the matrix; the caller bounds the lengths.
 * @cite Gotoh1982
 */
export function traceAlignment(
  query: Uint8Array,
  target: Uint8Array,
  { matrix, gapOpen, gapExtend }: AlignmentScoring,
): TracedAlignment | null {
  const columns = target.length;
  const trace = new Uint8Array(query.length * columns);
  const above = new Int32Array(columns);
  const inTargetGap = new Int32Array(columns).fill(-gapOpen);
  let best = { score: 0, row: -1, column: -1 };
  for (let i = 0; i < query.length; i++) {
    let diagonal = 0;
    let left = 0;
    let inQueryGap = -gapOpen;
    for (let j = 0; j < columns; j++) {
      let bits = 0;
      const down = above[j] - gapOpen;
      if (down >= inTargetGap[j] - gapExtend) bits |= opensTargetGap;
      inTargetGap[j] = Math.max(down, inTargetGap[j] - gapExtend);
      const across = left - gapOpen;
      if (across >= inQueryGap - gapExtend) bits |= opensQueryGap;
      inQueryGap = Math.max(across, inQueryGap - gapExtend);
      const pair = diagonal + matrix[query[i] * alphabetSize + target[j]];
      const score = Math.max(0, pair, inTargetGap[j], inQueryGap);
      if (score > 0) bits |= score === pair ? fromPair : score === inQueryGap ? fromQueryGap : fromTargetGap;
      trace[i * columns + j] = bits;
      diagonal = above[j];
      above[j] = left = score;
      if (score > best.score) best = { score, row: i, column: j };
    }
  }
  return best.score === 0 ? null : walk(trace, { query, target, best });
}

/** Follows the trace back from the end of the best alignment. A gap in the query takes a residue of the target. */
function walk(
  trace: Uint8Array,
  {
    query,
    target,
    best,
  }: { query: Uint8Array; target: Uint8Array; best: { score: number; row: number; column: number } },
): TracedAlignment {
  const rows: [number, number][] = [];
  let { row: i, column: j } = best;
  let state = 0;
  while (i >= 0 && j >= 0) {
    const bits = trace[i * target.length + j];
    if (state === 0) state = bits & 3;
    if (state === 0) break;
    if (state === fromPair) {
      rows.push([query[i--], target[j--]]);
      state = 0;
    } else if (state === fromQueryGap) {
      rows.push([-1, target[j--]]);
      if (bits & opensQueryGap) state = 0;
    } else {
      rows.push([query[i--], -1]);
      if (bits & opensTargetGap) state = 0;
    }
  }
  rows.reverse();
  return {
    score: best.score,
    queryStart: i + 1,
    targetStart: j + 1,
    queryResidues: best.row - i,
    targetResidues: best.column - j,
    query: Int8Array.from(rows, ([code]) => code),
    target: Int8Array.from(rows, ([, code]) => code),
  };
}
