import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { type TarEntry, tarEntries } from '../../predict/banks/tar-entries.js';
import { damaged, EntrySum } from './format.js';

/** Reads the entries of a backup in order; the next one can be seen before it is read. */
export class ArchiveReader {
  /** The checksum covers all entries that were read so far. */
  readonly sum = new EntrySum();
  readonly #source: AsyncIterator<TarEntry>;
  readonly #signal: AbortSignal | undefined;
  #next: TarEntry | null | undefined;

  private constructor(source: AsyncIterator<TarEntry>, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
  }

  /** @throws ProblemError bad_file, as all methods do for a damaged file */
  static async open(file: string, signal?: AbortSignal): Promise<ArchiveReader> {
    await checkStart(file);
    const bytes = pipeline(createReadStream(file), createGunzip(), () => {});
    return new ArchiveReader(tarEntries(bytes as AsyncIterable<Uint8Array>), signal);
  }

  async peek(): Promise<TarEntry | null> {
    if (this.#next !== undefined) return this.#next;
    const { value, done } = await this.#source.next().catch(rethrowDamage);
    this.#next = done ? null : (value as TarEntry);
    return this.#next;
  }

  async whole(name: string): Promise<Buffer> {
    this.#signal?.throwIfAborted();
    const entry = await this.peek();
    if (entry?.name !== name)
      throw damaged(`it has ${entry?.name ?? 'no more entries'} where ${name} is expected`);
    const bytes = await bytesOf(entry).catch(rethrowDamage);
    this.#next = undefined;
    this.sum.add(name, bytes);
    return bytes;
  }

  /** Yields the bytes of all entries whose names begin with `start`; there must be at least one. */
  async *parts(start: string): AsyncGenerator<Buffer> {
    for (let n = 0; n === 0 || (await this.peek())?.name === `${start}${n}`; n++)
      yield await this.whole(`${start}${n}`);
  }

  /** Computes size and checksum of the entries whose names begin with `start`. */
  async facts(start: string): Promise<{ sizeBytes: number; sha256: string }> {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const bytes of this.parts(start)) {
      hash.update(bytes);
      sizeBytes += bytes.length;
    }
    return { sizeBytes, sha256: hash.digest('hex') };
  }

  /** Closes the file before its end. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

async function bytesOf({ bytes }: TarEntry): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Faults of gzip and tar mean damage; faults of the file system do not. */
function rethrowDamage(cause: unknown): never {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code?.startsWith('Z_')) throw damaged(message, { cause });
  if (cause instanceof ProblemError)
    throw damaged(message[0].toLowerCase() + message.slice(1).replace(/\.$/, ''), { cause });
  throw cause;
}

/**
 * zlib writes these bytes if no name and no time is given; it accepts other values without an error. The
 * tenth byte names the system.
 */
const gzipStart = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0]);

async function checkStart(file: string): Promise<void> {
  const handle = await open(file);
  try {
    const start = Buffer.alloc(gzipStart.length);
    await handle.read(start, 0, start.length, 0);
    if (!start.equals(gzipStart)) throw damaged('it does not begin as a backup does');
  } finally {
    await handle.close();
  }
}
