import { ProblemError } from '@kindred/contracts';

export interface TarEntry {
  name: string;
  sizeBytes: number;
  /** To be read before the next entry is asked for; what is left over is passed by. */
  bytes: AsyncIterable<Uint8Array>;
}

const blockBytes = 512;

/**
 * The plain files of a tar archive (ustar, GNU, pax), in order and without holding any: other kinds of entries are passed by.
 * @throws ProblemError bad_file when it is no tar archive or ends early
 */
export async function* tarEntries(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new BlockReader(archive);
  try {
    for (;;) {
      const header = await reader.take(blockBytes);
      // Two empty blocks end an archive.
      if (header.every((byte) => byte === 0)) return;
      checkHeader(header);
      const sizeBytes = octal(header, 124, 12);
      const content = reader.stream(sizeBytes);
      const type = header[156];
      if (type === 0 || type === 0x30) yield { name: nameOf(header), sizeBytes, bytes: content };
      for await (const _ of content);
      await reader.take((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
    }
  } finally {
    await reader.close();
  }
}

class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes, for small numbers. */
  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  /** So many bytes, as they come; leaving early and reading on later goes on where it stopped. */
  stream(length: number): AsyncIterableIterator<Uint8Array> {
    let left = length;
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      if (left === 0) return { done: true, value: undefined };
      while (this.#rest.length === 0) {
        const chunk = await this.#source.next();
        if (chunk.done) throw new ProblemError('bad_file', 'The tar archive ends early.');
        this.#rest = chunk.value;
      }
      const value = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(value.length);
      left -= value.length;
      return { done: false, value };
    };
    const iterator = { next, [Symbol.asyncIterator]: () => iterator };
    return iterator;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

/** The checksum counts its own eight bytes as spaces. */
function checkHeader(header: Uint8Array): void {
  let sum = 0;
  header.forEach((byte, at) => {
    sum += at >= 148 && at < 156 ? 0x20 : byte;
  });
  if (sum !== octal(header, 148, 8)) {
    throw new ProblemError('bad_file', 'The file is no tar archive: a header does not match its checksum.');
  }
}

function octal(header: Uint8Array, at: number, length: number): number {
  const text = textOf(header, at, length).trim();
  const value = /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  if (Number.isNaN(value)) {
    throw new ProblemError(
      'bad_file',
      'The file is no tar archive: a header has no number where one must be.',
    );
  }
  return value;
}

function nameOf(header: Uint8Array): string {
  const isPosix = textOf(header, 257, 6) === 'ustar';
  const prefix = isPosix ? textOf(header, 345, 155) : '';
  const name = textOf(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textOf(header: Uint8Array, at: number, length: number): string {
  const field = Buffer.from(header.buffer, header.byteOffset + at, length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}
