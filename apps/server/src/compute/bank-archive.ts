import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { z } from 'zod';

/**
 * A folder of plain files (a reference bank) as one stream of bytes:
 *
 *   8 bytes   "KINDPACK"
 *   4 bytes   length of the list, little-endian
 *   list      JSON: [{name, bytes}], in order of name
 *   files     one behind the other
 *   32 bytes  SHA-256 of everything before
 */
const magic = 'KINDPACK';
const listLimitBytes = 1 << 20;
const hashBytes = 32;
const chunkBytes = 1 << 20;

const fileList = z
  .array(z.strictObject({ name: z.string().regex(/^\w[\w.-]{0,99}$/), bytes: z.int().min(0) }))
  .max(100);
type FileList = z.infer<typeof fileList>;

export async function* packFolder(folder: string): AsyncGenerator<Uint8Array> {
  const names = (await readdir(folder)).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })),
  );
  const list = Buffer.from(JSON.stringify(fileList.parse(files)));
  const head = Buffer.alloc(12);
  head.write(magic, 'latin1');
  head.writeUInt32LE(list.length, 8);
  const hash = createHash('sha256');
  for await (const chunk of parts([head, list], folder, files)) {
    hash.update(chunk);
    yield chunk;
  }
  yield hash.digest();
}

async function* parts(heads: Buffer[], folder: string, files: FileList): AsyncGenerator<Uint8Array> {
  yield* heads;
  for (const { name, bytes } of files) {
    let sent = 0;
    for await (const chunk of createReadStream(join(folder, name), { highWaterMark: chunkBytes })) {
      sent += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
    if (sent !== bytes) throw new Error(`${name} changed while it was packed`);
  }
}

/** Writes the files of a pack into `folder`, which appears whole or not at all. @throws ProblemError bad_file */
export async function unpackFolder(pack: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    const reader = new PackReader(pack);
    const files = await readList(reader);
    for (const { name, bytes } of files) {
      const file = await open(join(draft, name), 'wx');
      try {
        await reader.copy(bytes, file);
      } finally {
        await file.close();
      }
    }
    await reader.checkHash();
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function readList(reader: PackReader): Promise<FileList> {
  const head = await reader.take(12);
  if (head.toString('latin1', 0, 8) !== magic) throw damaged('it does not begin with KINDPACK');
  const length = head.readUInt32LE(8);
  if (length > listLimitBytes) throw damaged(`its list of files has ${length} bytes`);
  try {
    return fileList.parse(JSON.parse((await reader.take(length)).toString('utf8')));
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw damaged('its list of files cannot be read');
  }
}

/** Cuts a stream of chunks of any size. */
class PackReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  #left: Uint8Array = new Uint8Array(0);

  constructor(pack: AsyncIterable<Uint8Array>) {
    this.#chunks = pack[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const out = Buffer.alloc(count);
    for (let done = 0; done < count; ) {
      const part = await this.#next(count - done);
      out.set(part, done);
      done += part.length;
    }
    this.#hash.update(out);
    return out;
  }

  async copy(count: number, file: FileHandle): Promise<void> {
    for (let left = count; left > 0; ) {
      const part = await this.#next(left);
      this.#hash.update(part);
      await file.writeFile(part);
      left -= part.length;
    }
  }

  async checkHash(): Promise<void> {
    const expected = this.#hash.copy().digest();
    const given = await this.take(hashBytes);
    if (!given.equals(expected)) throw damaged('its checksum is not that of its content');
    if (!(await this.#chunks.next()).done) throw damaged('bytes follow its checksum');
  }

  async #next(most: number): Promise<Uint8Array> {
    while (this.#left.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) throw damaged('it is cut short');
      this.#left = value;
    }
    const part = this.#left.subarray(0, most);
    this.#left = this.#left.subarray(part.length);
    return part;
  }
}

function damaged(why: string): ProblemError {
  return new ProblemError('bad_file', `The packed reference bank is damaged: ${why}.`);
}
