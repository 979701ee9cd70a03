import { alphabetSize, type AlignmentScoring, paddingCode } from '../alignment/index.js';
import { bandAlignment } from './band-alignment.js';
import { indexOfLast } from './index-of-last.js';
import {
  bandRadius,
  type CandidateFinder,
  type CandidateOptions,
  type CandidateQueries,
  type CandidateTable,
  checkCandidateQueries,
  defaultMinimumSeed,
  defaultMinimumWindow,
  windowLeft,
  windowRight,
} from './relative-search.js';
import { placesOfWord, residueRank, type SeedIndex, seedOffsets } from './seed-index.js';

const never = -128;
const windowLimit = 127;
const bandLimit = 65_535;
const residues = 20;

/** Returns the scores of letter pairs [32 x 32]; the delimiter never matches. */
function letterScores({ matrix }: AlignmentScoring): Int8Array {
  const scores = Int8Array.from(matrix);
  for (let a = 0; a < alphabetSize; a++)
    scores[a * alphabetSize + paddingCode] = scores[paddingCode * alphabetSize + a] = never;
  return scores;
}

/** Finds candidates in plain TypeScript. This finder is used without the addon, and to check the addon. */
export function createPlainCandidateFinder(index: SeedIndex): CandidateFinder {
  return {
    find(queries, options) {
      checkCandidateQueries(queries, options);
      const search = new PlainSearch(index, options);
      const count = queries.start.length - 1;
      const table: CandidateTable = {
        sequence: new Int32Array(count * options.limit),
        score: new Int32Array(count * options.limit),
        count: new Int32Array(count),
        aligned: new Int32Array(count * options.limit * 4),
      };
      for (let q = 0; q < count; q++) {
        if (options.isAborted?.()) throw new DOMException('the search was cancelled', 'AbortError');
        search.query(queries, q, table);
      }
      return table;
    },
  };
}

class PlainSearch {
  readonly #index: SeedIndex;
  readonly #options: CandidateOptions;
  readonly #scores: Int8Array;
  /** The twenty residues by falling score against each letter, as ranks and scores: [32 x 20]. */
  readonly #neighbourRank = new Int8Array(alphabetSize * residues);
  readonly #neighbourScore = new Int8Array(alphabetSize * residues);
  /** The best window of each sequence and its diagonal; all entries are 0 between queries. */
  readonly #best: Int32Array;
  readonly #diagonal: Int32Array;
  #touched: number[] = [];
  /** The diagonals whose window reached the limit, by sequence. */
  #high = new Map<number, Set<number>>();
  #query: Uint8Array = new Uint8Array(0);
  /** The start of the scores of each column of the current window. */
  readonly #rows = new Int32Array(windowLeft + windowRight);
  #at = 0;

  constructor(index: SeedIndex, options: CandidateOptions) {
    this.#index = index;
    this.#options = options;
    this.#scores = letterScores(options.scoring);
    this.#best = new Int32Array(index.start.length - 1);
    this.#diagonal = new Int32Array(index.start.length - 1);
    const letters = Array.from(residueRank.keys()).filter((code) => residueRank[code] >= 0);
    for (const a of letters) {
      const scoreOf = (b: number): number => this.#scores[a * alphabetSize + b];
      const inOrder = letters.toSorted((x, y) => scoreOf(y) - scoreOf(x));
      inOrder.forEach((b, at) => {
        this.#neighbourRank[a * residues + at] = residueRank[b];
        this.#neighbourScore[a * residues + at] = scoreOf(b);
      });
    }
  }

  query(queries: CandidateQueries, q: number, table: CandidateTable): void {
    const { limit } = this.#options;
    this.#query = queries.codes.subarray(queries.start[q], queries.start[q + 1]);
    const masked = queries.masked.subarray(queries.start[q], queries.start[q + 1]);
    if (this.#query.some((code) => code >= paddingCode))
      throw new RangeError(`query ${q}: a code is not a letter`);
    for (let at = 0; at + (seedOffsets.at(-1) as number) < this.#query.length; at++) {
      const letters = seedOffsets.map((offset) => this.#query[at + offset]);
      if (letters.some((letter) => residueRank[letter] < 0)) continue;
      if (seedOffsets.every((offset) => masked[at + offset] !== 0)) continue;
      this.#enter(at);
      this.#words(letters);
    }
    const found = this.#candidates(queries.excluded[q])
      .map((sequence) => ({ sequence, score: this.#bandScore(sequence, this.#diagonal[sequence]) }))
      .filter(({ score }) => score >= queries.minimumBand[q])
      .sort((a, b) => b.score - a.score || a.sequence - b.sequence)
      .slice(0, limit);
    table.count[q] = found.length;
    found.forEach(({ sequence, score }, at) => {
      table.sequence[q * limit + at] = sequence;
      table.score[q * limit + at] = score;
      const pair = {
        query: this.#query,
        target: this.#sequence(sequence),
        diagonal: this.#diagonal[sequence],
      };
      const { score: whole, identical, gaps, length } = bandAlignment(pair, this.#options.scoring);
      table.aligned.set([whole, identical, gaps, length], (q * limit + at) * 4);
    });
  }

  #enter(at: number): void {
    this.#at = at;
    for (let column = 0; column < this.#rows.length; column++) {
      const i = at - windowLeft + column;
      const letter = i < 0 || i >= this.#query.length ? paddingCode : this.#query[i];
      this.#rows[column] = letter * alphabetSize;
    }
  }

  /** Visits the positions of every word that scores high enough against the letters. */
  #words(letters: readonly number[]): void {
    const { minimumSeed = defaultMinimumSeed } = this.#options;
    const rest = [0];
    for (let k = letters.length - 1; k > 0; k--)
      rest.unshift(rest[0] + this.#neighbourScore[letters[k] * residues]);
    const extend = (k: number, sum: number, word: number): void => {
      if (k === letters.length) return this.#visit(word);
      const first = letters[k] * residues;
      for (let n = first; n < first + residues; n++) {
        const longer = sum + this.#neighbourScore[n];
        if (longer + rest[k] < minimumSeed) break;
        extend(k + 1, longer, word * residues + this.#neighbourRank[n]);
      }
    };
    extend(0, 0, 0);
  }

  #visit(word: number): void {
    const { places, start } = this.#index;
    const { minimumWindow = defaultMinimumWindow } = this.#options;
    const { from, to } = placesOfWord(this.#index, word);
    for (let p = from; p < to; p++) {
      const score = this.#windowScore(places[p]);
      if (score < minimumWindow) continue;
      const sequence = indexOfLast(start, places[p]);
      const diagonal = places[p] - start[sequence] - this.#at;
      if (score < windowLimit) {
        this.#keep(sequence, score, diagonal);
        continue;
      }
      const known = this.#high.get(sequence);
      if (known) known.add(diagonal);
      else this.#high.set(sequence, new Set([diagonal]));
    }
  }

  #windowScore(place: number): number {
    const { codes } = this.#index;
    const scores = this.#scores;
    const rows = this.#rows;
    const first = place - windowLeft;
    let sum = 0;
    for (let column = 0; column < windowLeft; column++) {
      sum += scores[rows[column] + codes[first + column]];
      if (sum < 0) sum = 0;
      else if (sum > windowLimit) sum = windowLimit;
    }
    let best = never;
    for (let column = windowLeft; column < windowLeft + windowRight; column++) {
      sum += scores[rows[column] + codes[first + column]];
      if (sum > windowLimit) sum = windowLimit;
      else if (sum < never) sum = never;
      if (sum > best) best = sum;
    }
    return best;
  }

  #keep(sequence: number, score: number, diagonal: number): void {
    const best = this.#best[sequence];
    if (best === 0) this.#touched.push(sequence);
    if (score < best || (score === best && diagonal >= this.#diagonal[sequence])) return;
    this.#best[sequence] = score;
    this.#diagonal[sequence] = diagonal;
  }

  /** Returns the sequences with a good segment; their diagonals are in `#diagonal`. */
  #candidates(excluded: number): number[] {
    for (const [sequence, diagonals] of this.#high)
      for (const diagonal of diagonals)
        this.#keep(sequence, this.#bestOnDiagonal(sequence, diagonal), diagonal);
    this.#high = new Map();
    const found = this.#touched;
    this.#touched = [];
    for (const sequence of found) this.#best[sequence] = 0;
    return found.filter((sequence) => sequence !== excluded);
  }

  #sequence(sequence: number): Uint8Array {
    const { codes, start } = this.#index;
    return codes.subarray(start[sequence], start[sequence + 1] - 1);
  }

  #bestOnDiagonal(sequence: number, diagonal: number): number {
    const codes = this.#sequence(sequence);
    let sum = 0;
    let best = 0;
    for (let i = Math.max(0, -diagonal); i < this.#query.length && i + diagonal < codes.length; i++) {
      sum = Math.max(0, sum + this.#scores[this.#query[i] * alphabetSize + codes[i + diagonal]]);
      best = Math.max(best, sum);
    }
    return best;
  }

  /** Returns the score of the best local alignment whose cells (i, j) all have |j - i - diagonal| at most the radius. */
  #bandScore(sequence: number, diagonal: number): number {
    const { gapOpen, gapExtend } = this.#options.scoring;
    const codes = this.#sequence(sequence);
    const width = 2 * bandRadius + 1;
    // Column b of row i is cell (i, i + diagonal - bandRadius + b), so the cell above it is column b + 1 of the row before.
    const h = new Int32Array(width + 1);
    const e = new Int32Array(width + 1);
    const last = Math.min(this.#query.length, codes.length - diagonal + bandRadius);
    let best = 0;
    for (let i = Math.max(0, -diagonal - bandRadius); i < last; i++) {
      const row = this.#query[i] * alphabetSize;
      let f = 0;
      let left = 0;
      for (let b = 0; b < width; b++) {
        const j = i + diagonal - bandRadius + b;
        const inside = j >= 0 && j < codes.length;
        e[b] = Math.max(0, e[b + 1] - gapExtend, h[b + 1] - gapOpen);
        f = Math.max(0, f - gapExtend, left - gapOpen);
        const pair = inside ? h[b] + this.#scores[row + codes[j]] : 0;
        left = inside ? Math.max(pair, e[b], f) : 0;
        h[b] = left;
        if (left > best) best = left;
      }
    }
    return Math.min(best, bandLimit);
  }
}
