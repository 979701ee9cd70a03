import { alphabetSize, blosum62 } from '../alignment/index.js';
import { topK } from '../arrays/index.js';
import { forEachWord, type WordIndex } from './word-index.js';

export interface CandidateOptions {
  /** Most candidates of a query. */
  limit: number;
  /** Least score of the best ungapped segment (BLOSUM62, whole units), above 0. */
  minimumScore: number;
  /** Least score of a common word: below it the word is not looked at further. @default 13 */
  wordScore?: number;
  /** An extension ends when it has fallen by so much below its best. @default 16 */
  drop?: number;
}

/** Sequences that may be relatives of one query, best first. */
export interface Candidates {
  /** Number in the index. */
  sequence: Int32Array;
  /** Of the best ungapped segment pair. */
  score: Int32Array;
}

/** Slots of the memory of diagonals; a slot that another diagonal took only lets a segment be extended twice. */
const diagonalSlots = 1 << 16;

/**
 * Finds which sequences of an index share a segment with a query: each common word of residue classes is extended without
 * gaps in both directions, and a sequence has the score of its best segment. The first of two steps: what this finds is
 * then aligned with gaps. One search at a time; make one for each thread and keep it.
 */
export class CandidateSearch {
  private readonly best: Int32Array;
  private readonly diagonal = new Int32Array(diagonalSlots);
  private readonly extendedTo = new Int32Array(diagonalSlots);
  private query: Uint8Array = new Uint8Array(0);
  private drop = 0;
  private covered = 0;

  constructor(private readonly index: WordIndex) {
    this.best = new Int32Array(Math.max(0, index.sequenceStart.length - 1));
  }

  /**
   * Cost: the places of the query's words, and about 30 residues for each new diagonal with a good word.
   * @param query residue codes (encodeResidues)
   * @returns candidates by falling score, ties by their number; the same for the same index and query
   * @throws RangeError for a minimum of 0 or less
   * @cite Altschul1990
   */
  find(query: Uint8Array, options: CandidateOptions): Candidates {
    const { limit, minimumScore, wordScore = 13, drop = 16 } = options;
    if (!(minimumScore > 0)) throw new RangeError(`minimum score ${minimumScore}: expected more than 0`);
    const { best, diagonal, extendedTo } = this;
    const { sequenceStart, wordStart, place, wordLength } = this.index;
    this.query = query;
    this.drop = drop;
    const touched: number[] = [];
    extendedTo.fill(-1);
    forEachWord(query, wordLength, (word, at) => {
      for (let p = wordStart[word]; p < wordStart[word + 1]; p++) {
        const onDiagonal = place[p] - at;
        const slot = onDiagonal & (diagonalSlots - 1);
        if (extendedTo[slot] >= at && diagonal[slot] === onDiagonal) continue;
        const seed = this.scoreOfWord(at, place[p]);
        if (seed < wordScore) continue;
        const sequence = sequenceAt(sequenceStart, place[p]);
        const left = this.extendLeft(at, place[p], sequenceStart[sequence]);
        const score = this.extendRight(at, place[p], sequenceStart[sequence + 1], left);
        diagonal[slot] = onDiagonal;
        extendedTo[slot] = this.covered;
        if (score < minimumScore || score <= best[sequence]) continue;
        if (best[sequence] === 0) touched.push(sequence);
        best[sequence] = score;
      }
    });
    const found = Int32Array.from(touched).sort();
    const scores = found.map((sequence) => best[sequence]);
    for (const sequence of found) best[sequence] = 0;
    const chosen = topK(scores, limit);
    return { sequence: chosen.map((i) => found[i]), score: chosen.map((i) => scores[i]) };
  }

  private scoreOfWord(at: number, place: number): number {
    const { query } = this;
    const { codes, wordLength } = this.index;
    let score = 0;
    for (let i = 0; i < wordLength; i++) score += blosum62[query[at + i] * alphabetSize + codes[place + i]];
    return score;
  }

  /**
   * Score of the best segment through the word, given what its left side adds. Leaves in `covered` the last word of the
   * diagonal that can find nothing better: one that ends within the segment, and before which the sum from the segment's
   * start has never been below 0 (after such a fall a segment that starts later is better).
   */
  private extendRight(at: number, place: number, endExclusive: number, left: number): number {
    const { query, drop } = this;
    const { codes, wordLength } = this.index;
    const wordEnd = at + wordLength - 1;
    let score = left;
    let best = Number.NEGATIVE_INFINITY;
    let bestEnd = wordEnd;
    let fall = query.length;
    for (let i = at, j = place; i < query.length && j < endExclusive; i++, j++) {
      score += blosum62[query[i] * alphabetSize + codes[j]];
      if (score < 0 && i < fall) fall = i;
      if (i < wordEnd) continue;
      if (score > best) {
        best = score;
        bestEnd = i;
      } else if (best - score > drop) break;
    }
    this.covered = Math.min(bestEnd - wordLength + 1, fall);
    return best;
  }

  /** What the best run of residues before the word adds. */
  private extendLeft(at: number, place: number, start: number): number {
    const { query, drop } = this;
    const { codes } = this.index;
    let score = 0;
    let best = 0;
    for (let i = at - 1, j = place - 1; i >= 0 && j >= start && best - score <= drop; i--, j--) {
      score += blosum62[query[i] * alphabetSize + codes[j]];
      if (score > best) best = score;
    }
    return best;
  }
}

/** The sequence that holds the offset; empty sequences hold none. */
function sequenceAt(sequenceStart: Int32Array, offset: number): number {
  let low = 0;
  let high = sequenceStart.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (sequenceStart[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
}
