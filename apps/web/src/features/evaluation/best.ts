import type { CafaAspect, MethodFigures } from '../../app/api/showcase.js';

/** Returns the largest Fmax of the column; null if no method was evaluated. */
export function bestOf(rows: readonly MethodFigures[], aspect: CafaAspect): number | null {
  const known = rows.flatMap((row) => (row.figures[aspect] ? [row.figures[aspect].fmax] : []));
  return known.length === 0 ? null : Math.max(...known);
}
