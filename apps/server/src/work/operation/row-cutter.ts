const newline = 10;
const carriageReturn = 13;
const exclamationMark = 33;

/**
 * Passes the bytes of a text table until a number of rows is complete. Lines that start with `!`, blank lines
 * and the given number of header lines do not count. Chunks may be cut anywhere.
 */
export class RowCutter {
  rowsLeft: number;
  #headerLines: number;
  /** The current line begins with this byte; -1 at its start. */
  #lineStart = -1;

  constructor(rows: number, headerLines: number) {
    this.rowsLeft = rows;
    this.#headerLines = headerLines;
  }

  /** Gives the part of `chunk` to pass on, which ends with the line end of the last row. */
  take(chunk: Uint8Array): Uint8Array {
    for (let position = 0; position < chunk.length; ) {
      if (this.#lineStart < 0) this.#lineStart = chunk[position];
      const end = chunk.indexOf(newline, position);
      if (end < 0) return chunk;
      this.#closeLine();
      if (this.rowsLeft === 0) return chunk.subarray(0, end + 1);
      position = end + 1;
    }
    return chunk;
  }

  /** Counts a last line without a line end. */
  end(): void {
    if (this.#lineStart >= 0 && this.rowsLeft > 0) this.#closeLine();
  }

  #closeLine(): void {
    const first = this.#lineStart;
    this.#lineStart = -1;
    if (first === exclamationMark || first === newline || first === carriageReturn) return;
    if (this.#headerLines > 0) this.#headerLines--;
    else this.rowsLeft--;
  }
}
