import { GrowingFloat64, GrowingInt32 } from '../../arrays/index.js';

/** The predicted cells of one namespace, in any order: row rows[i] has term terms[i] with a score above 0. Pairs may repeat. */
export interface PredictionCells {
  rows: Int32Array;
  terms: Int32Array;
  scores: Float64Array;
}

export class CellList {
  readonly #rows = new GrowingInt32(4096);
  readonly #terms = new GrowingInt32(4096);
  readonly #scores = new GrowingFloat64(4096);

  push(row: number, term: number, score: number): void {
    this.#rows.push(row);
    this.#terms.push(term);
    this.#scores.push(score);
  }

  get length(): number {
    return this.#rows.length;
  }

  /** Returns the cells without a copy; they are valid until the next call of `push` or `clear`. */
  cells(): PredictionCells {
    return { rows: this.#rows.view(), terms: this.#terms.view(), scores: this.#scores.view() };
  }

  /** Forgets the cells and keeps their memory for the next ones. */
  clear(): void {
    this.#rows.truncate(0);
    this.#terms.truncate(0);
    this.#scores.truncate(0);
  }
}

/** The predicted cells of each protein by falling level: row r has the positions start[r] .. start[r + 1]. int32 */
export interface LevelledCells {
  start: Int32Array;
  terms: Int32Array;
  levels: Int32Array;
}

/**
 * Sorts cells by row, then by falling level, with two stable counting sorts. The cost is linear in cells, rows and levels.
 * @param levelOfScore 0 .. levelCount - 1
 */
export function byFallingLevel(
  cells: PredictionCells,
  size: { rows: number; levels: number },
  levelOfScore: (score: number) => number,
): LevelledCells {
  const { rows, terms, scores } = cells;
  const count = rows.length;
  const levels = new Int32Array(count);
  const start = new Int32Array(size.rows + 1);
  const after = new Int32Array(size.levels + 1);
  for (let i = 0; i < count; i++) {
    levels[i] = levelOfScore(scores[i]);
    after[levels[i]]++;
    start[rows[i] + 1]++;
  }
  for (let row = 0; row < size.rows; row++) start[row + 1] += start[row];
  // The entry after[level] is the number of cells with higher levels, which is the position where the level begins.
  for (let level = size.levels - 1, above = 0; level >= 0; level--) {
    const own = after[level];
    after[level] = above;
    above += own;
  }
  const order = new Int32Array(count);
  for (let i = 0; i < count; i++) order[after[levels[i]]++] = i;
  const next = start.slice();
  const sorted: LevelledCells = { start, terms: new Int32Array(count), levels: new Int32Array(count) };
  for (const i of order) {
    const at = next[rows[i]]++;
    sorted.terms[at] = terms[i];
    sorted.levels[at] = levels[i];
  }
  return sorted;
}
