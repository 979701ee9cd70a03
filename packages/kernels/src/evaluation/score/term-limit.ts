import { CellList, type PredictionCells } from './cell-list.js';
import { groupByRow } from '../frame/closure.js';
import type { PredictionCounts } from './predictions.js';

/**
 * Leaves out the terms of a protein beyond a limit, in the order of the file. A limit M accepts M terms and repeats of them. The
 * compatibility modes accept M + 1 and then leave out repeats, as the published programs do.
 */
export class TermLimit {
  readonly #limit: number;
  readonly #published: boolean;
  /** The last row that accepted a term, plus 1. */
  readonly #acceptedIn: Int32Array;

  constructor(maxTerms: number, published: boolean, terms: number) {
    this.#limit = maxTerms;
    this.#published = published;
    this.#acceptedIn = new Int32Array(terms);
  }

  /**
   * Returns the accepted cells, and counts each line as used if one of its cells is, else as beyond the limit.
   * @param cells all cells of their rows; a row is not given twice
   * @param continues 1 where a cell is of the same line as the one before it
   */
  accepted(
    cells: PredictionCells,
    continues: Uint8Array,
    { rowCount, counts }: { rowCount: number; counts: PredictionCounts },
  ): PredictionCells {
    const { start, order } = groupByRow(rowCount, cells.rows);
    const kept = new CellList();
    for (let row = 0; row < rowCount; row++) {
      let terms = 0;
      let isUsed = false;
      for (let i = start[row]; i < start[row + 1]; i++) {
        const cell = order[i];
        const term = cells.terms[cell];
        const isRepeat = this.#acceptedIn[term] === row + 1;
        if (this.#published ? terms <= this.#limit : terms < this.#limit || isRepeat) {
          if (!isRepeat) terms++;
          this.#acceptedIn[term] = row + 1;
          kept.push(row, term, cells.scores[cell]);
          isUsed = true;
        }
        const isLastOfLine = i + 1 === start[row + 1] || continues[order[i + 1]] === 0;
        if (!isLastOfLine) continue;
        if (isUsed) {
          counts.used++;
          if (cells.scores[cell] > 1) counts.aboveOne++;
        } else counts.beyondLimit++;
        isUsed = false;
      }
    }
    return kept.cells();
  }
}
