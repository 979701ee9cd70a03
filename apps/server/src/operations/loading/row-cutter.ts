const newline = 10;
const carriageReturn = 13;
const exclamationMark = 33;

/**
 * Lets bytes of a text table pass until a number of rows is complete. Lines that start with `!`, blank lines and the
 * given number of first lines are no rows. Works on bytes cut anywhere.
 */
export class RowCutter {
  rowsLeft: number;
  #headerLines: number;
  /** First byte of the line that is open, -1 at its start. */
  #lineStart = -1;

  constructor(rows: number, headerLines: number) {
    this.rowsLeft = rows;
    this.#headerLines = headerLines;
  }

  /** The part of `chunk` that may pass; after the last row it ends with that row's line end. */
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
