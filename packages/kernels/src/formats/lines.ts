import { Buffer, isAscii } from 'node:buffer';
import { FormatError } from './format-error.js';
import { LineBlocks } from './line-blocks.js';

/**
 * The input of every reader: a whole text, chunks of bytes with arbitrary borders, or single lines without line ends. Bytes must be
 * uncompressed; the code that opens the file handles gzip.
 */
export type TextSource =
  | string
  | Uint8Array
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>
  | AsyncIterable<string>
  | Iterable<string>;

export interface LineOptions {
  /** The maximum length of a line in UTF-16 units; a longer line throws a FormatError. The default is 1,048,576. */
  maxLineLength?: number;
}

export interface LineBatch {
  /** The number of `lines[0]`, from 1. */
  firstLine: number;
  lines: string[];
}

const defaultMaxLineLength = 1 << 20;

export function maxLineLengthOf({ maxLineLength = defaultMaxLineLength }: LineOptions): number {
  return maxLineLength;
}

export function lineTooLong(line: number, maxLength: number): FormatError {
  return new FormatError({
    line,
    record: null,
    reason: `longer than ${maxLength} characters; is this a text file of the expected format?`,
  });
}

const carriageReturn = 13;

/**
 * Splits chunks of bytes into lines. The class handles LF and CRLF, a last line without an end, and chunk borders inside a character.
 * UTF-16 is recognised by its byte order mark, and a line that is not UTF-8 is read as Windows-1252. Whole chunks are decoded at once, so
 * a line keeps its whole chunk in memory: do not keep many lines for long.
 *
 * The cost is O(bytes), with one decoding for each chunk.
 */
export class LineSplitter {
  readonly #maxLength: number;
  readonly #blocks: LineBlocks;
  #count = 0;

  constructor(options: LineOptions = {}) {
    this.#maxLength = maxLineLengthOf(options);
    // A UTF-16 unit takes at most three bytes, so this bound never rejects a line that the exact check would accept.
    this.#blocks = new LineBlocks(3 * this.#maxLength + 1, () =>
      lineTooLong(this.#count + 1, this.#maxLength),
    );
  }

  /** The number of complete lines returned so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Returns the lines that are complete with `chunk`. The caller may reuse the chunk afterwards. @throws FormatError for a line that is
   * too long
   */
  push(chunk: Uint8Array): string[] {
    const out: string[] = [];
    this.#blocks.push(chunk, (block) => this.#split(block, out));
    return out;
  }

  /** Returns the last line, if it has no line end. */
  end(): string[] {
    const out: string[] = [];
    this.#blocks.end((block) => this.#split(block, out));
    return out;
  }

  /** Adds the lines of `bytes`, which end with a newline. */
  #split(bytes: Uint8Array, out: string[]): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#splitText(view.toString(isAscii(view) ? 'latin1' : 'utf8'), out);
  }

  #splitText(text: string, out: string[]): void {
    let start = 0;
    const before = out.length;
    for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', start)) {
      const stop = end > start && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
      if (stop - start > this.#maxLength)
        throw lineTooLong(this.#count + out.length - before + 1, this.#maxLength);
      out.push(text.slice(start, stop));
      start = end + 1;
    }
    this.#count += out.length - before;
  }
}

/** Splits a whole text, or byte chunks in memory, into lines. @throws FormatError for a line that is too long */
export function splitLines(
  source: string | Uint8Array | Iterable<Uint8Array>,
  options: LineOptions = {},
): string[] {
  const splitter = new LineSplitter(options);
  let out: string[] = [];
  for (const chunk of chunksOf(source)) {
    const lines = splitter.push(chunk);
    out = out.length === 0 ? lines : append(out, lines);
  }
  return append(out, splitter.end());
}

/**
 * Reads lines of any source in batches, one for each chunk (single lines are grouped by 1,024), which is much faster than one line at a
 * time.
 * @throws FormatError for a line that is too long
 */
export async function* lineBatches(source: TextSource, options: LineOptions = {}): AsyncGenerator<LineBatch> {
  const splitter = new LineSplitter(options);
  const gathered: LineBatch = { firstLine: 1, lines: [] };
  for await (const piece of piecesOf(source)) {
    if (typeof piece === 'string') {
      gathered.lines.push(piece);
      if (gathered.lines.length < 1024) continue;
      yield { ...gathered };
      gathered.firstLine += gathered.lines.length;
      gathered.lines = [];
    } else {
      const firstLine = splitter.count + 1;
      const lines = splitter.push(piece);
      if (lines.length > 0) yield { firstLine, lines };
    }
  }
  const firstLine = splitter.count + 1;
  const lines = splitter.end();
  if (lines.length > 0) yield { firstLine, lines };
  if (gathered.lines.length > 0) yield gathered;
}

/** Reads one line at a time, for short files. @throws FormatError for a line that is too long */
export async function* lines(source: TextSource, options: LineOptions = {}): AsyncGenerator<string> {
  for await (const batch of lineBatches(source, options)) yield* batch.lines;
}

function piecesOf(
  source: TextSource,
): Iterable<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<string> | AsyncIterable<string> {
  return typeof source === 'string' || source instanceof Uint8Array ? chunksOf(source) : source;
}

function chunksOf(source: string | Uint8Array | Iterable<Uint8Array>): Iterable<Uint8Array> {
  if (typeof source === 'string') return [Buffer.from(source, 'utf8')];
  return source instanceof Uint8Array ? [source] : source;
}

/** Appends in place without a spread, because an argument list is limited to about 100,000 entries. */
function append(target: string[], more: string[]): string[] {
  for (const line of more) target.push(line);
  return target;
}
