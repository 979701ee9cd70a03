/** Whether more or less is better. */
export type Better = 'larger' | 'smaller';

/**
 * Marks the best of the values, ties included. None where there is nothing to choose: fewer than two values are known, or all of them are
 * equal.
 */
export function bestValues(values: readonly (number | null)[], better: Better): boolean[] {
  const known = values.filter((value) => value !== null);
  const best = better === 'larger' ? Math.max(...known) : Math.min(...known);
  const isChoice = known.some((value) => value !== best);
  return values.map((value) => isChoice && value === best);
}
