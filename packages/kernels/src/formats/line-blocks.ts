import { FormatError } from './format-error.js';
import { Utf8Chunks, utf8Lines } from './text-encoding.js';

const newline = 10;
const carriageReturn = 13;

/**
 * Regroups chunks of bytes with arbitrary borders into blocks of whole lines in UTF-8, without a byte order mark. Every block ends with a
 * line feed, which is added to the last one if the source has none. The caller may reuse a chunk after `push`; a block is valid only
 * during the call of its receiver. The cost is O(bytes); only lines across a chunk border and lines in other encodings are copied.
 */
export class LineBlocks {
  readonly #maxBytes: number;
  readonly #tooLong: () => Error;
  readonly #encoding = new Utf8Chunks();
  #carried: Uint8Array[] = [];
  #carriedBytes = 0;
  #isBegun = false;

  /** @param tooLong creates the error for a line that needs more than `maxBytes` of carried bytes */
  constructor(maxBytes: number, tooLong: () => Error) {
    this.#maxBytes = maxBytes;
    this.#tooLong = tooLong;
  }

  /** @throws FormatError for text in UTF-16 that cannot be read, and for lines that end with a carriage return alone */
  push(bytes: Uint8Array, receive: (block: Uint8Array) => void): void {
    this.#regroup(this.#encoding.push(bytes), (block) => this.#pass(block, receive));
  }

  /** Files of old Macs have one line otherwise, of which a reader may take the beginning. */
  #pass(block: Uint8Array, receive: (block: Uint8Array) => void): void {
    if (!this.#isBegun) {
      this.#isBegun = true;
      if (hasLoneReturn(block)) throw loneReturn();
    }
    receive(utf8Lines(block));
  }

  #regroup(chunk: Uint8Array, receive: (block: Uint8Array) => void): void {
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

  /** Passes on the last line if it has no line feed. */
  end(receive: (block: Uint8Array) => void): void {
    const pass = (block: Uint8Array) => this.#pass(block, receive);
    this.#regroup(this.#encoding.end(), pass);
    if (this.#carriedBytes > 0) pass(this.#take(Uint8Array.of(newline)));
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
    // The bytes are copied, because `slice` on a Buffer returns a view.
    this.#carried.push(new Uint8Array(bytes));
    this.#carriedBytes += bytes.length;
    if (this.#carriedBytes <= this.#maxBytes) return;
    throw !this.#isBegun && this.#carried.some(hasLoneReturn) ? loneReturn() : this.#tooLong();
  }
}

/** Whether the first line has a carriage return inside. */
function hasLoneReturn(block: Uint8Array): boolean {
  const at = block.indexOf(carriageReturn);
  if (at < 0) return false;
  const end = block.indexOf(newline);
  const next = block[at + 1];
  return at + 1 < (end < 0 ? block.length : end) && next !== carriageReturn;
}

export const loneReturnReason =
  'the lines end with a single carriage return; save the file with line feeds (Unix or Windows)';
const loneReturn = () => new FormatError({ line: 1, record: null, reason: loneReturnReason });
