import { type AlignmentCounts, type AlignmentScoring, alphabetSize } from '../alignment/index.js';
import { alignmentRadius } from './relative-search.js';

/** A query and a target (residue codes), and the diagonal j - i in the middle of the band. */
export interface BandPair {
  query: Uint8Array;
  target: Uint8Array;
  diagonal: number;
}

const scoreLimit = 65_535;
const width = 2 * alignmentRadius + 1;
const fromPair = 1;
const fromQueryGap = 2;
const opensQueryGap = 4;
const opensTargetGap = 8;

/**
 * Finds the best local alignment whose cells (i, j) all have |j - i - diagonal| at most `alignmentRadius`. Running scores are between 0
 * and 65,535; if they reach the maximum, the counts cover only the last part of the alignment.
 *
 * The cost is 129 cells of one byte for each residue of the query.
 * @cite Chao1992
 */
export function bandAlignment(pair: BandPair, scoring: AlignmentScoring): Omit<AlignmentCounts, 'similar'> {
  const band = new Band(pair, scoring);
  band.fill();
  return band.walk();
}

class Band {
  readonly #pair: BandPair;
  readonly #scoring: AlignmentScoring;
  readonly #trace: Uint8Array;
  #best = { score: 0, row: 0, column: 0 };

  constructor(pair: BandPair, scoring: AlignmentScoring) {
    this.#pair = pair;
    this.#scoring = scoring;
    this.#trace = new Uint8Array(pair.query.length * width);
  }

  /** Fills the band. Column b of row i is cell (i, i + diagonal - radius + b), so the cell above it is column b + 1 of the row before. */
  fill(): void {
    const { query, target, diagonal } = this.#pair;
    const { matrix, gapOpen, gapExtend } = this.#scoring;
    const h = new Int32Array(width + 1);
    const e = new Int32Array(width + 1);
    for (let i = 0; i < query.length; i++) {
      let f = 0;
      let left = 0;
      for (let b = 0; b < width; b++) {
        const j = i + diagonal - alignmentRadius + b;
        if (j < 0 || j >= target.length) {
          h[b] = e[b] = f = left = 0;
          continue;
        }
        const longerQueryGap = Math.max(0, e[b + 1] - gapExtend);
        const longerTargetGap = Math.max(0, f - gapExtend);
        const openedAbove = Math.max(0, h[b + 1] - gapOpen);
        const openedLeft = Math.max(0, left - gapOpen);
        e[b] = Math.max(longerQueryGap, openedAbove);
        f = Math.max(longerTargetGap, openedLeft);
        const pair = Math.min(scoreLimit, Math.max(0, h[b] + matrix[query[i] * alphabetSize + target[j]]));
        const score = Math.max(pair, e[b], f);
        this.#trace[i * width + b] =
          Number(score === pair) * fromPair +
          Number(score === e[b]) * fromQueryGap +
          Number(openedAbove > longerQueryGap) * opensQueryGap +
          Number(openedLeft > longerTargetGap) * opensTargetGap;
        h[b] = left = score;
        this.#consider(score, i, b);
      }
    }
  }

  /** Keeps the end of the best alignment. Of equal ones, the lowest target position is kept, then the lowest query position. */
  #consider(score: number, row: number, column: number): void {
    const { score: best, row: bestRow, column: bestColumn } = this.#best;
    if (score > best || (score === best && score > 0 && row + column < bestRow + bestColumn))
      this.#best = { score, row, column };
  }

  walk(): Omit<AlignmentCounts, 'similar'> {
    const { query, target, diagonal } = this.#pair;
    const { matrix, gapOpen, gapExtend } = this.#scoring;
    const counts = { score: this.#best.score, identical: 0, gaps: 0, length: 0 };
    let { score: left, row: i, column: b } = this.#best;
    let state = 0;
    while (i >= 0 && b >= 0 && b < width && (state !== 0 || left > 0)) {
      const bits = this.#trace[i * width + b];
      counts.length++;
      if (state === 0 && bits & fromPair) {
        const letter = target[i + diagonal - alignmentRadius + b];
        counts.identical += Number(query[i] === letter);
        left -= matrix[query[i] * alphabetSize + letter];
        i--;
        continue;
      }
      if (state === 0) state = bits & fromQueryGap ? opensQueryGap : opensTargetGap;
      const opens = (bits & state) !== 0;
      left += opens ? gapOpen : gapExtend;
      counts.gaps++;
      if (state === opensQueryGap) {
        i--;
        b++;
      } else b--;
      if (opens) state = 0;
    }
    return counts;
  }
}
