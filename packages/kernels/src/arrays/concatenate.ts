/** Rows of bytes in one array: row r is `codes[start[r] .. start[r + 1])`. */
export interface ConcatenatedRows {
  codes: Uint8Array;
  /** The start of each row in `codes`, and the end of the last one: [rows + 1]. */
  start: Int32Array;
}

/** Joins the rows in their order. @throws RangeError for 2 GiB and more */
export function concatenateRows(rows: readonly Uint8Array[]): ConcatenatedRows {
  const total = rows.reduce((sum, row) => sum + row.length, 0);
  if (total > 0x7fff_ffff) throw new RangeError(`${total} bytes: the limit of all rows is 2 GiB - 1`);
  const start = new Int32Array(rows.length + 1);
  for (const [r, row] of rows.entries()) start[r + 1] = start[r] + row.length;
  return { codes: concatenate(rows, Uint8Array), start };
}

/** Joins arrays of numbers in their order. Without any array, the result has length 0. */
export function concatenate<T extends Int32Array | Uint16Array | Uint8Array>(
  parts: readonly T[],
  type: new (length: number) => T,
): T {
  const whole = new type(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
