import { Buffer, isUtf8 } from 'node:buffer';
import { FormatError } from './format-error.js';

/**
 * Turns a text into bytes of UTF-8, from chunks with arbitrary borders. Text in UTF-16 with a byte order mark is converted, and any other
 * text passes unchanged. The mark is left out. Cost: O(bytes).
 */
export class Utf8Chunks {
  #head: Uint8Array | null = new Uint8Array();
  #decoder: InstanceType<typeof TextDecoder> | null = null;

  /** @throws FormatError for UTF-16 that is broken or has no byte order mark */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#head === null) return this.#passed(chunk, false);
    const head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    this.#head = new Uint8Array(head);
    return head.length < longestMark ? new Uint8Array() : this.#begin(head);
  }

  /** Returns the last bytes. @throws FormatError */
  end(): Uint8Array {
    if (this.#head === null) return this.#passed(new Uint8Array(), true);
    return Buffer.concat([this.#begin(this.#head), this.#passed(new Uint8Array(), true)]);
  }

  #begin(head: Uint8Array): Uint8Array {
    this.#head = null;
    if (isUtf32(head)) throw new FormatError({ line: 1, record: null, reason: utf32 });
    const encoding = markedUtf16(head);
    if (encoding !== null) this.#decoder = new TextDecoder(encoding, { fatal: true });
    else if (head.length > 1 && (head[0] === 0) !== (head[1] === 0))
      throw new FormatError({ line: 1, record: null, reason: unmarked });
    return this.#passed(
      head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head,
      false,
    );
  }

  #passed(chunk: Uint8Array, isLast: boolean): Uint8Array {
    if (this.#decoder === null) return chunk;
    try {
      return Buffer.from(this.#decoder.decode(chunk, { stream: !isLast }), 'utf8');
    } catch {
      throw new FormatError({ line: 1, record: null, reason: broken });
    }
  }
}

const longestMark = 4;
const unmarked =
  'a zero byte: this is not a text file, or it is UTF-16 without a byte order mark; save it as UTF-8';
const broken = 'the file begins as UTF-16, but is not; save it as UTF-8';

const utf32 = 'the file is in UTF-32, which is not read; save it as UTF-8';

/** Recognises the mark of UTF-32, which begins like that of UTF-16. */
const isUtf32 = ([a, b, c, d]: Uint8Array) =>
  (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);

function markedUtf16([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

/** Does the same as `Utf8Chunks` for a stream. @throws FormatError */
export async function* utf8Chunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = new Utf8Chunks();
  for await (const chunk of source) yield chunks.push(chunk);
  yield chunks.end();
}

/** Does the same as `Utf8Chunks` for a whole file. @throws FormatError */
export function utf8Bytes(bytes: Uint8Array): Uint8Array {
  const chunks = new Utf8Chunks();
  const first = chunks.push(bytes);
  const last = chunks.end();
  return last.length === 0 ? first : Buffer.concat([first, last]);
}

/** Decodes a whole file, or its beginning: UTF-16 with a byte order mark, UTF-8, or Windows-1252. @throws FormatError */
export function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(utf8Lines(utf8Bytes(bytes))).toString('utf8');
}

const newline = 10;

/** Turns whole lines into UTF-8. A line that is not UTF-8 is read as Windows-1252, the superset of Latin-1 that editors write. */
export function utf8Lines(block: Uint8Array): Uint8Array {
  if (isUtf8(block)) return block;
  const lines: Uint8Array[] = [];
  for (let start = 0; start < block.length; ) {
    const feed = block.indexOf(newline, start);
    const end = feed < 0 ? block.length : feed + 1;
    const line = block.subarray(start, end);
    lines.push(isUtf8(line) ? line : Buffer.from(windows1252(line), 'utf8'));
    start = end;
  }
  return Buffer.concat(lines);
}

/** The characters of Windows-1252 where Latin-1 has control characters. */
const beyondLatin1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function windows1252(line: Uint8Array): string {
  return Buffer.from(line)
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, (letter) => beyondLatin1[letter.charCodeAt(0) - 0x80]);
}
