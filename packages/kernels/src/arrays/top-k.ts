/**
 * Returns the positions of the k largest values, largest first. Among equal values the lower position comes first; NaN comes last. The
 * result is shorter than k if there are fewer values.
 *
 * Cost: O(n log k) at worst, O(n) for typical inputs with k << n; memory O(k).
 * @throws RangeError if k is not a non-negative integer
 */
export function topK(
  values: ArrayLike<number>,
  k: number,
  order: 'largest' | 'smallest' = 'largest',
): Int32Array {
  if (!(Number.isInteger(k) && k >= 0)) throw new RangeError(`k must be a non-negative integer, not ${k}`);
  const size = Math.min(k, values.length);
  if (size === 0) return new Int32Array(0);
  const sign = order === 'largest' ? 1 : -1;
  // The heap holds the best values so far, with the worst of them on top.
  const heap = new Int32Array(size);
  const keys = new Float64Array(size);
  let filled = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] * sign;
    // This line is for speed: most values are not better than the worst that is kept. Of equal values the lower position is better.
    if (filled === size && value <= keys[0] && heap[0] >= 0) continue;
    const key = Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    const nan = Number.isNaN(value);
    if (filled < size) {
      siftUp(heap, keys, filled++, nan ? ~i : i, key);
    } else if (worse(keys[0], heap[0], key, nan ? ~i : i)) {
      siftDown(heap, keys, size, nan ? ~i : i, key);
    }
  }
  const out = new Int32Array(size);
  for (let left = size; left > 0; left--) {
    out[left - 1] = heap[0] < 0 ? ~heap[0] : heap[0];
    siftDown(heap, keys, left - 1, heap[left - 1], keys[left - 1]);
  }
  return out;
}

/** Says whether entry a is worse than entry b. The position i of a NaN is stored as ~i, below every position of a number. */
function worse(keyA: number, a: number, keyB: number, b: number): boolean {
  if (keyA !== keyB) return keyA < keyB;
  // Among numbers the lower position is better. Among NaNs, ~i falls as i grows. Of a number and a NaN, the NaN (negative) is worse.
  return a < 0 || b < 0 ? a < b : a > b;
}

// oxlint-disable-next-line eslint/max-params -- innermost loop: an object for each call would cost more than the work
function siftUp(heap: Int32Array, keys: Float64Array, from: number, item: number, key: number): void {
  let slot = from;
  while (slot > 0) {
    const parent = (slot - 1) >> 1;
    if (!worse(key, item, keys[parent], heap[parent])) break;
    heap[slot] = heap[parent];
    keys[slot] = keys[parent];
    slot = parent;
  }
  heap[slot] = item;
  keys[slot] = key;
}

// oxlint-disable-next-line eslint/max-params -- innermost loop: an object for each call would cost more than the work
function siftDown(heap: Int32Array, keys: Float64Array, size: number, item: number, key: number): void {
  if (size === 0) return;
  let slot = 0;
  for (let child = 1; child < size; child = 2 * slot + 1) {
    if (child + 1 < size && worse(keys[child + 1], heap[child + 1], keys[child], heap[child])) child++;
    if (!worse(keys[child], heap[child], key, item)) break;
    heap[slot] = heap[child];
    keys[slot] = keys[child];
    slot = child;
  }
  heap[slot] = item;
  keys[slot] = key;
}
