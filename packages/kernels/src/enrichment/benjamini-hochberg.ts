/**
 * Computes the false discovery rates of ascending p values: the smallest rate at which each value would be significant.
 * @param ascending p values, 0 to 1
 * @cite Benjamini1995
 */
export function falseDiscoveryRates(ascending: readonly number[]): number[] {
  const count = ascending.length;
  const rates = new Array<number>(count);
  let least = 1;
  for (let at = count - 1; at >= 0; at--) {
    least = Math.min(least, (ascending[at] * count) / (at + 1));
    rates[at] = least;
  }
  return rates;
}
