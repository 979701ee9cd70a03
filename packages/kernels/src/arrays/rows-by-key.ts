/** The rows of each key: those of key k are rows[start[k] .. start[k + 1]), ascending. */
export interface RowsByKey {
  start: Int32Array;
  rows: Int32Array;
}

/**
 * Turns a list of keys for each row into a list of rows for each key. A row that has a key twice is listed twice.
 *
 * Cost: O(keys + rows + keyCount).
 * @param start keys of row r: keys[start[r] .. start[r + 1]). Int32 [rows + 1]
 * @param keys 0 to keyCount - 1, not checked
 */
export function rowsByKey(start: Int32Array, keys: Int32Array, keyCount: number): RowsByKey {
  const starts = new Int32Array(keyCount + 1);
  for (const key of keys) starts[key + 1]++;
  for (let key = 0; key < keyCount; key++) starts[key + 1] += starts[key];
  const next = starts.slice();
  const rows = new Int32Array(keys.length);
  for (let row = 0; row + 1 < start.length; row++)
    for (let e = start[row]; e < start[row + 1]; e++) rows[next[keys[e]]++] = row;
  return { start: starts, rows };
}
