/** Predicted cells of one namespace, in any order: row rows[i] has term terms[i] with a score above 0; pairs may repeat. */
export interface PredictionCells {
  rows: Int32Array;
  terms: Int32Array;
  scores: Float64Array;
}

/** A growing list of predicted cells. */
export class CellList {
  private rows = new Int32Array(4096);
  private terms = new Int32Array(4096);
  private scores = new Float64Array(4096);
  private length = 0;

  push(row: number, term: number, score: number): void {
    const at = this.length++;
    if (at === this.rows.length) this.enlarge();
    this.rows[at] = row;
    this.terms[at] = term;
    this.scores[at] = score;
  }

  cells(): PredictionCells {
    const { rows, terms, scores, length } = this;
    return {
      rows: rows.subarray(0, length),
      terms: terms.subarray(0, length),
      scores: scores.subarray(0, length),
    };
  }

  private enlarge(): void {
    const { rows, terms, scores } = this;
    const size = rows.length * 2;
    this.rows = new Int32Array(size);
    this.terms = new Int32Array(size);
    this.scores = new Float64Array(size);
    this.rows.set(rows);
    this.terms.set(terms);
    this.scores.set(scores);
  }
}

/** The predicted cells of each protein by falling level; row r has positions start[r] .. start[r + 1]. int32 */
export interface LevelledCells {
  start: Int32Array;
  terms: Int32Array;
  levels: Int32Array;
}

/**
 * Sorts cells by row and, inside, by falling level: two stable counting sorts, linear in cells, rows and levels.
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
  // after[level]: cells of higher levels, that is where the level begins.
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
