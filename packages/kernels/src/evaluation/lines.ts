/** Receives a line as bytes[start, end) without its line feed; `line` is 1-based. The bytes are valid during the call only. */
export type LineHandler = (bytes: Uint8Array, start: number, end: number, line: number) => void;

const lineFeed = 10;

/** Cuts a byte stream into lines, whatever the chunks; a byte order mark is left out. */
export class LineScanner {
  private rest: Uint8Array = new Uint8Array(0);
  private readonly onLine: LineHandler;
  /** Lines handed out so far. */
  lines = 0;

  constructor(onLine: LineHandler) {
    this.onLine = onLine;
  }

  push(bytes: Uint8Array): void {
    // A plain array even where a Buffer came: one shape keeps the readers' loops fast.
    const chunk = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    let from = 0;
    if (this.rest.length > 0) {
      const end = chunk.indexOf(lineFeed);
      if (end < 0) {
        this.rest = joined(this.rest, chunk);
        return;
      }
      const line = joined(this.rest, chunk.subarray(0, end));
      this.rest = new Uint8Array(0);
      this.emit(line, 0, line.length);
      from = end + 1;
    }
    for (let end = chunk.indexOf(lineFeed, from); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      this.emit(chunk, from, end);
      from = end + 1;
    }
    if (from < chunk.length) this.rest = chunk.slice(from);
  }

  end(): void {
    if (this.rest.length > 0) this.emit(this.rest, 0, this.rest.length);
    this.rest = new Uint8Array(0);
  }

  private emit(bytes: Uint8Array, start: number, end: number): void {
    this.lines++;
    const marked =
      this.lines === 1 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
    this.onLine(bytes, marked ? start + 3 : start, end, this.lines);
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** ASCII white space as the published program cuts at it: blank, tab to carriage return, the four separators. */
export function isSpace(byte: number): boolean {
  return byte === 32 || (byte <= 31 && ((byte >= 9 && byte <= 13) || byte >= 28));
}

/**
 * Finds the first columns of a white-space separated line.
 * @param bounds receives start and end (exclusive) of column c at [2c] and [2c + 1]; its length / 2 is the number of columns looked for
 * @returns number of columns found, at most bounds.length / 2
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
