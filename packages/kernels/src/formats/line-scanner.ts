import { LineBlocks } from './line-blocks.js';
import { type LineOptions, lineTooLong, maxLineLengthOf } from './lines.js';

/** Receives a line as bytes[start, end) without its line feed; `line` counts from 1. The bytes are valid only during the call. */
export type LineHandler = (bytes: Uint8Array, start: number, end: number, line: number) => void;

const newline = 10;

/**
 * Splits a byte stream into lines without creating strings, for files with millions of lines. Text becomes UTF-8 as in `LineSplitter`,
 * but a carriage return before the line feed is kept.
 *
 * The cost is O(bytes); only lines across a chunk border are copied.
 */
export class LineScanner {
  readonly #onLine: LineHandler;
  readonly #blocks: LineBlocks;
  #lines = 0;

  constructor(onLine: LineHandler, options: LineOptions = {}) {
    this.#onLine = onLine;
    const maxLength = maxLineLengthOf(options);
    this.#blocks = new LineBlocks(3 * maxLength + 1, () => lineTooLong(this.#lines + 1, maxLength));
  }

  /** @throws FormatError for a line that is too long */
  push(chunk: Uint8Array): void {
    this.#blocks.push(chunk, (block) => this.#scan(block));
  }

  end(): void {
    this.#blocks.end((block) => this.#scan(block));
  }

  #scan(block: Uint8Array): void {
    // The block becomes a plain Uint8Array even if the input is a Buffer, because a single type keeps the readers' loops fast.
    const bytes = new Uint8Array(block.buffer, block.byteOffset, block.length);
    let from = 0;
    for (let end = bytes.indexOf(newline, from); end >= 0; end = bytes.indexOf(newline, from)) {
      this.#lines++;
      this.#onLine(bytes, from, end, this.#lines);
      from = end + 1;
    }
  }
}
