/** The direction in which a figure is better. */
export type Better = 'larger' | 'smaller';

/**
 * Marks the best of the values, and all that equal it. Nothing is marked if there is no choice: fewer than two values are known, or all
 * of them are equal.
 */
export function bestValues(values: readonly (number | null)[], better: Better): boolean[] {
  const known = values.filter((value) => value !== null);
  const best = better === 'larger' ? Math.max(...known) : Math.min(...known);
  const isChoice = known.some((value) => value !== best);
  return values.map((value) => isChoice && value === best);
}
