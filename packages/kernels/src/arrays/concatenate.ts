/** Rows of bytes in one array: row r is `codes[start[r] .. start[r + 1])`. */
export interface ConcatenatedRows {
  codes: Uint8Array;
  /** [rows + 1] */
  start: Int32Array;
}

/** One after the other, in order. @throws RangeError for 2 GiB and more */
export function concatenateRows(rows: readonly Uint8Array[]): ConcatenatedRows {
  const total = rows.reduce((sum, row) => sum + row.length, 0);
  if (total > 0x7fff_ffff) throw new RangeError(`${total} bytes: rows of together at most 2 GiB - 1 fit`);
  const codes = new Uint8Array(total);
  const start = new Int32Array(rows.length + 1);
  let at = 0;
  for (const [r, row] of rows.entries()) {
    codes.set(row, at);
    at += row.length;
    start[r + 1] = at;
  }
  return { codes, start };
}
