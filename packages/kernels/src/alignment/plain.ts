import {
  type AlignmentCounts,
  type AlignmentMode,
  type AlignmentScoring,
  type PairAligner,
  abortError,
  alignmentTable,
  checkPairs,
  checkScoring,
  defaultScoring,
} from './alignment.js';
import { alphabetSize } from './residues.js';

const minusInfinity = -1_000_000_000;

/** The trace bits of a cell say how H was reached, and whether the gaps that end in the cell also start there. */
const diagonal = 1;
const queryGap = 2;
const openedTargetGap = 4;
const openedQueryGap = 8;

/** One column of the dynamic programme: h[i] and e[i] are the values after i query residues. */
interface Column {
  h: Int32Array;
  /** The best score of an alignment that ends with a gap consuming the target. */
  e: Int32Array;
}

interface Problem {
  query: Uint8Array;
  target: Uint8Array;
  mode: AlignmentMode;
  scoring: AlignmentScoring;
}

interface End {
  score: number;
  i: number;
  j: number;
}

/**
 * Aligns one pair with affine gaps. This is the simple implementation, with which tests compare the fast ones.
 *
 * Among alignments of equal score the choice is parasail's: the target's columns are the outer loop and the query's residues the inner
 * one; at a cell a residue pair before a gap that consumes the query before a gap that consumes the target; a gap is opened only where
 * that is strictly better than extending; a local alignment ends at the first best cell in this order and begins after the last cell of
 * score 0. An overlap ends at the first best cell of the last row and column.
 *
 * Time: query x target cells, computed at most twice. Memory: about 3 * 8 * sqrt(target) * query bytes, since only
 * every sqrt(target)-th column is kept and the trace between two of them is computed again on the way back.
 *
 * @param query Residue codes, not empty.
 * @param target Residue codes, not empty.
 * @throws RangeError for an empty sequence or invalid gap costs.
 * @cite Gotoh1982
 * @cite Daily2016
 */
export function alignPlain(
  query: Uint8Array,
  target: Uint8Array,
  mode: AlignmentMode,
  scoring: AlignmentScoring = defaultScoring,
): AlignmentCounts {
  checkScoring(scoring);
  if (query.length === 0 || target.length === 0) throw new RangeError('an empty sequence cannot be aligned');
  const problem: Problem = { query, target, mode, scoring };
  const step = Math.max(16, Math.ceil(Math.sqrt(target.length)));
  const column = firstColumn(problem);
  const kept: Column[] = [];
  const end: End = { score: mode === 'local' ? 0 : minusInfinity, i: 0, j: 0 };
  for (let j = 0; j < target.length; j++) {
    if (j % step === 0) kept.push({ h: column.h.slice(), e: column.e.slice() });
    advance(problem, column, j, null);
    updateEnd(problem, column.h, j + 1, end);
  }
  return walkBack(problem, kept, step, end);
}

/** Returns the cost of a gap of n residues at an end of the alignment. */
function endGap({ mode, scoring }: Problem, n: number): number {
  return n === 0 || mode !== 'global' ? 0 : -scoring.gapOpen - (n - 1) * scoring.gapExtend;
}

function firstColumn(problem: Problem): Column {
  const rows = problem.query.length + 1;
  const h = new Int32Array(rows);
  for (let i = 1; i < rows; i++) h[i] = endGap(problem, i);
  return { h, e: new Int32Array(rows).fill(minusInfinity) };
}

/** Turns column j into column j + 1, and writes the trace bits of its cells where `trace` is given. */
function advance(problem: Problem, { h, e }: Column, j: number, trace: Uint8Array | null): void {
  const { query, target, mode, scoring } = problem;
  const { matrix, gapOpen, gapExtend } = scoring;
  const letter = target[j];
  let above = h[0];
  h[0] = endGap(problem, j + 1);
  let f = minusInfinity;
  for (let i = 1; i < h.length; i++) {
    let bits = 0;
    const openE = h[i] - gapOpen;
    const extendE = e[i] - gapExtend;
    if (openE > extendE) bits |= openedTargetGap;
    e[i] = Math.max(openE, extendE);
    const openF = h[i - 1] - gapOpen;
    const extendF = f - gapExtend;
    if (openF > extendF) bits |= openedQueryGap;
    f = Math.max(openF, extendF);
    const pair = above + matrix[query[i - 1] * alphabetSize + letter];
    const best = Math.max(pair, f, e[i]);
    if (best === pair) bits |= diagonal;
    else if (best === f) bits |= queryGap;
    above = h[i];
    h[i] = mode === 'local' && best < 0 ? 0 : best;
    if (trace) trace[i] = bits;
  }
}

function updateEnd({ target, mode }: Problem, h: Int32Array, j: number, end: End): void {
  const last = h.length - 1;
  const consider = (i: number): void => {
    if (h[i] > end.score) Object.assign(end, { score: h[i], i, j });
  };
  if (mode === 'local') for (let i = 1; i <= last; i++) consider(i);
  else if (mode === 'overlap' && j === target.length) for (let i = 1; i <= last; i++) consider(i);
  else if (mode === 'overlap' || j === target.length) consider(last);
}

/** Recomputes the traces block by block from the end and counts the columns. */
function walkBack(problem: Problem, kept: Column[], step: number, end: End): AlignmentCounts {
  const { query, target, mode, scoring } = problem;
  const counts: AlignmentCounts = { score: end.score, identical: 0, similar: 0, gaps: 0, length: 0 };
  const rows = query.length + 1;
  let { i, j } = end;
  let left = end.score;
  let state: 'pair' | 'queryGap' | 'targetGap' = 'pair';
  let block = -1;
  const trace = Array.from({ length: step }, () => new Uint8Array(rows));
  while (i > 0 && j > 0 && !(mode === 'local' && state === 'pair' && left === 0)) {
    const wanted = Math.floor((j - 1) / step);
    if (wanted !== block) {
      block = wanted;
      for (let c = 0; block * step + c < j; c++) advance(problem, kept[block], block * step + c, trace[c]);
    }
    const bits = trace[j - 1 - block * step][i];
    if (state === 'pair') {
      if (bits & diagonal) {
        const score = scoring.matrix[query[i - 1] * alphabetSize + target[j - 1]];
        if (query[i - 1] === target[j - 1]) counts.identical++;
        if (score > 0) counts.similar++;
        left -= score;
        counts.length++;
        i--;
        j--;
      } else state = bits & queryGap ? 'queryGap' : 'targetGap';
      continue;
    }
    const opened = bits & (state === 'queryGap' ? openedQueryGap : openedTargetGap);
    left += opened ? scoring.gapOpen : scoring.gapExtend;
    counts.gaps++;
    counts.length++;
    if (state === 'queryGap') i--;
    else j--;
    if (opened) state = 'pair';
  }
  return mode === 'local' ? counts : withEndGaps(problem, counts, { end, beginI: i, beginJ: j });
}

/** Adds the end gaps: residues before the first and after the last column of the walk. */
function withEndGaps(
  problem: Problem,
  counts: AlignmentCounts,
  walk: { end: End; beginI: number; beginJ: number },
): AlignmentCounts {
  const { end, beginI, beginJ } = walk;
  const outside = beginI + beginJ + (problem.query.length - end.i) + (problem.target.length - end.j);
  return { ...counts, gaps: counts.gaps + outside, length: counts.length + outside };
}

export const plainAligner: PairAligner = {
  name: 'plain',
  align(pairs, options) {
    checkPairs(pairs);
    const table = alignmentTable(pairs.query.length);
    for (let p = 0; p < pairs.query.length; p++) {
      if (options.isAborted?.()) throw abortError();
      const { sequences, query, target } = pairs;
      const counts = alignPlain(sequences[query[p]], sequences[target[p]], options.mode, options.scoring);
      for (const field of Object.keys(table) as (keyof AlignmentCounts)[]) table[field][p] = counts[field];
      options.onProgress?.(p + 1);
    }
    return table;
  },
};
