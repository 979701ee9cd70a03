/**
 * Says whether a byte is white space on which the published program splits: space, tab to carriage return, or one of the four separator
 * codes.
 */
export function isSpace(byte: number): boolean {
  return byte === 32 || (byte <= 31 && ((byte >= 9 && byte <= 13) || byte >= 28));
}

/**
 * Finds the first columns of a line that is separated by white space.
 * @param bounds receives start and end (exclusive) of column c at [2c] and [2c + 1]; its length / 2 is the maximum number of
 * columns
 * @returns the number of columns found, at most bounds.length / 2
 */
export function splitColumns(bytes: Uint8Array, start: number, end: number, bounds: Int32Array): number {
  const wanted = bounds.length >> 1;
  let found = 0;
  let i = start;
  while (found < wanted) {
    while (i < end && isSpace(bytes[i])) i++;
    if (i >= end) return found;
    bounds[2 * found] = i;
    while (i < end && !isSpace(bytes[i])) i++;
    bounds[2 * found + 1] = i;
    found++;
  }
  return found;
}

const decoder = new TextDecoder();
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}
