import { GrowingInt32 } from '../../arrays/index.js';
import type { EvaluationNamespace } from '../read/evaluation-ontology.js';

/** The terms of each row: terms[start[row] .. start[row + 1]), each once. int32 */
export interface RowTerms {
  start: Int32Array;
  terms: Int32Array;
}

/**
 * Adds to the given terms of each row all their ancestors inside the namespace. The cost is linear in the result times the parents of a
 * term.
 *
 * @param pairs rows[i] has terms[i]; pairs with a negative row are ignored
 */
export function closeUpwards(
  namespace: EvaluationNamespace,
  rowCount: number,
  pairs: { rows: Int32Array; terms: Int32Array },
): RowTerms {
  const { parentStart, parents } = namespace;
  const grouped = groupByRow(rowCount, pairs.rows);
  const stamp = new Int32Array(namespace.size);
  const start = new Int32Array(rowCount + 1);
  const closed = new GrowingInt32();
  for (let row = 0; row < rowCount; row++) {
    const visit = (term: number): void => {
      if (stamp[term] === row + 1) return;
      stamp[term] = row + 1;
      closed.push(term);
    };
    for (let i = grouped.start[row]; i < grouped.start[row + 1]; i++) visit(pairs.terms[grouped.order[i]]);
    for (let i = start[row]; i < closed.length; i++) {
      const term = closed.at(i);
      for (let e = parentStart[term]; e < parentStart[term + 1]; e++) visit(parents[e]);
    }
    start[row + 1] = closed.length;
  }
  return { start, terms: closed.view() };
}

/** Sorts positions by row, stably, by counting: those of row r are order[start[r] .. start[r + 1]). Negative rows are left out. */
export function groupByRow(rowCount: number, rows: Int32Array): { start: Int32Array; order: Int32Array } {
  const start = new Int32Array(rowCount + 1);
  for (const row of rows) if (row >= 0) start[row + 1]++;
  for (let row = 0; row < rowCount; row++) start[row + 1] += start[row];
  const next = start.slice(0, rowCount);
  const order = new Int32Array(start[rowCount]);
  for (let i = 0; i < rows.length; i++) if (rows[i] >= 0) order[next[rows[i]]++] = i;
  return { start, order };
}
