import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isPacked, manifestName, manifestSumName, type PackManifest, type PackMember } from './format.js';
import { archiveEnd, headerBlock, padding } from './tar-blocks.js';

/**
 * Writes members into a folder first, because the manifest precedes them and has their digests. Callers must
 * close the writer in any case.
 */
export class PackWriter {
  readonly #folder: string;
  readonly members: PackMember[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param folder belongs to the writer, which deletes its content */
  static async in(folder: string): Promise<PackWriter> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return new PackWriter(folder);
  }

  /** Adds the next member. `rows` is called after all bytes were read. */
  async add(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    rows: () => number,
    signal: AbortSignal,
  ): Promise<void> {
    const unpacked = new Counted();
    const packed = new Counted();
    const target = createWriteStream(this.#path(this.members.length), { mode: 0o600 });
    if (isPacked(name))
      await pipeline(bytes, unpacked.stream, createGzip(), packed.stream, target, { signal });
    else await pipeline(bytes, unpacked.stream, packed.stream, target, { signal });
    this.members.push({
      name,
      size_bytes: packed.bytes,
      unpacked_bytes: unpacked.bytes,
      rows: rows(),
      sha256: packed.hash.digest('hex'),
    });
  }

  async *archive(manifest: PackManifest): AsyncGenerator<Uint8Array> {
    const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    yield* file(manifestName, text);
    yield* file(manifestSumName, Buffer.from(`${createHash('sha256').update(text).digest('hex')}\n`));
    for (const [i, { name, size_bytes }] of this.members.entries()) {
      yield headerBlock(name, size_bytes);
      yield* createReadStream(this.#path(i), { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
      yield padding(size_bytes);
    }
    yield archiveEnd;
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #path(member: number): string {
    return join(this.#folder, String(member));
  }
}

/** Yields the blocks of a small file of the archive. */
export function* file(name: string, content: Buffer): Generator<Buffer> {
  yield headerBlock(name, content.length);
  yield content;
  yield padding(content.length);
}

class Counted {
  bytes = 0;
  readonly hash = createHash('sha256');
  readonly stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      this.bytes += chunk.length;
      this.hash.update(chunk);
      done(null, chunk);
    },
  });
}
