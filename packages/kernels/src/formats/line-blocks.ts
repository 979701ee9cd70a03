const newline = 10;

/**
 * Regroups chunks of bytes, cut anywhere, into blocks of whole lines: every block ends with a line feed, also the last
 * one, whose line feed is added where the source has none. A chunk may be reused by the caller after `push`; a block is
 * valid during the call of its receiver only. Cost: O(bytes); only the line that a border cuts is copied.
 */
export class LineBlocks {
  readonly #maxBytes: number;
  readonly #tooLong: () => Error;
  #carried: Uint8Array[] = [];
  #carriedBytes = 0;

  /** @param tooLong makes the error thrown for a line that needs more than `maxBytes` to be carried over borders */
  constructor(maxBytes: number, tooLong: () => Error) {
    this.#maxBytes = maxBytes;
    this.#tooLong = tooLong;
  }

  push(chunk: Uint8Array, receive: (block: Uint8Array) => void): void {
    const last = chunk.lastIndexOf(newline);
    if (last < 0) {
      this.#carry(chunk);
      return;
    }
    let start = 0;
    if (this.#carriedBytes > 0) {
      start = chunk.indexOf(newline) + 1;
      receive(this.#take(chunk.subarray(0, start)));
    }
    if (start <= last) receive(chunk.subarray(start, last + 1));
    if (last + 1 < chunk.length) this.#carry(chunk.subarray(last + 1));
  }

  /** The last line where it has no end. */
  end(receive: (block: Uint8Array) => void): void {
    if (this.#carriedBytes > 0) receive(this.#take(Uint8Array.of(newline)));
  }

  #take(rest: Uint8Array): Uint8Array {
    const block = new Uint8Array(this.#carriedBytes + rest.length);
    let at = 0;
    for (const part of [...this.#carried, rest]) {
      block.set(part, at);
      at += part.length;
    }
    this.#carried = [];
    this.#carriedBytes = 0;
    return block;
  }

  #carry(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    // Not `slice`, which of a Buffer gives a view.
    this.#carried.push(new Uint8Array(bytes));
    this.#carriedBytes += bytes.length;
    if (this.#carriedBytes > this.#maxBytes) throw this.#tooLong();
  }
}
