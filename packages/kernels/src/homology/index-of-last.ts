/** Returns the index of the last of the ascending numbers that is at most `value`, or 0 without one. */
export function indexOfLast(ascending: Int32Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}
