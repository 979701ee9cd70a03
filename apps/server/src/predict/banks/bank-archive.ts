import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemError } from '@kindred/contracts';
import { type Pack, pack } from 'tar-stream';
import { type TarEntry, tarEntries } from './tar-entries.js';

/**
 * The sums are the last file of the archive, in the format of `sha256sum`: one line per file, in the order of
 * the archive.
 */
const sumsName = 'SHA256SUMS';
const maxFiles = 100;
const chunkBytes = 1 << 20;

/** Packs a folder of plain files (a reference bank) as a tar archive with the checksums of the files. */
export async function* packFolder(folder: string): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const written = addFiles(archive, folder).catch((error: Error) => archive.destroy(error));
  yield* archive as AsyncIterable<Uint8Array>;
  await written;
}

async function addFiles(archive: Pack, folder: string): Promise<void> {
  let sums = '';
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const { size } = await stat(path);
    const hash = createHash('sha256');
    // A file that changes meanwhile fails, because its size no longer fits.
    const entry = archive.entry({ name, size });
    await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hashing(hash), entry);
    sums += sumLine(hash.digest('hex'), name);
  }
  archive.entry({ name: sumsName }, sums);
  archive.finalize();
}

function hashing(hash: ReturnType<typeof createHash>): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

const sumLine = (sha256: string, name: string): string => `${sha256}  ${name}\n`;

/**
 * Writes the files of an archive into `folder`, which appears whole or not at all.
 * @throws ProblemError bad_file
 */
export async function unpackFolder(archive: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    await unpackInto(draft, archive);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function unpackInto(draft: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
  const lines: string[] = [];
  let sums: string | null = null;
  for await (const entry of tarEntries(archive)) {
    if (sums !== null) throw damaged('files follow its checksums');
    if (entry.name === sumsName) sums = await textOf(entry);
    else if (lines.length === maxFiles) throw damaged(`it has more than ${maxFiles} files`);
    else lines.push(sumLine(await writeEntry(draft, entry), entry.name));
  }
  if (sums !== lines.join('')) throw damaged('its checksums are not those of its files');
}

/** @returns the SHA-256 of the content */
async function writeEntry(draft: string, { name, bytes }: TarEntry): Promise<string> {
  if (!/^\w[\w.-]{0,99}$/.test(name)) throw damaged(`it has a file ${JSON.stringify(name.slice(0, 100))}`);
  const hash = createHash('sha256');
  const file = await open(join(draft, name), 'wx');
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

async function textOf({ sizeBytes, bytes }: TarEntry): Promise<string> {
  if (sizeBytes > maxFiles * 200) throw damaged(`its list of checksums has ${sizeBytes} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function damaged(why: string): ProblemError {
  return new ProblemError('bad_file', `The packed reference bank is damaged: ${why}.`);
}
