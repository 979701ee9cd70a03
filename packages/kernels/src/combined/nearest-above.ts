/**
 * For each of the terms the nearest others of them above it, over ways that may lead through terms that are not given; terms that have
 * none are left out. What is the value of some term is implied by it, and every implied term is.
 *
 * @param parents direct parents by child, of all terms on the ways
 */
export function nearestAbove(
  terms: readonly number[],
  parents: Pick<ReadonlyMap<number, readonly number[]>, 'get'>,
): Map<number, number[]> {
  const given = new Set(terms);
  const above = new Map<number, number[]>();
  for (const term of terms) {
    const seen = new Set([term]);
    const found: number[] = [];
    for (const next of seen)
      for (const parent of parents.get(next) ?? []) {
        if (seen.has(parent) || found.includes(parent)) continue;
        if (given.has(parent)) found.push(parent);
        else seen.add(parent);
      }
    if (found.length > 0) above.set(term, found);
  }
  return above;
}
