/** Returns the index of `value` among ascending, distinct values, or -1. Cost: O(log n). */
export function indexOfSorted<T extends number | string>(values: ArrayLike<T>, value: T): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return values[low] === value ? low : -1;
}

/** Returns a quantile of ascending numbers, with linear interpolation. @param share 0 to 1 */
export function quantileOfSorted(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}
