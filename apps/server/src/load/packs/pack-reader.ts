import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { ByteReader } from './byte-reader.js';
import {
  isPacked,
  manifestName,
  manifestSumName,
  maxManifestBytes,
  maxRatio,
  maxSignatureBytes,
  maxStatisticsBytes,
  memberNames,
  type PackManifest,
  type PackMember,
  packFormat,
  packManifest,
  signatureName,
  statisticsName,
} from './format.js';
import type { SignatureRules } from '../../work/operation/operation.js';
import { checkSignature } from './signing.js';
import { archiveEnd, blockBytes, padding, readHeader } from './tar-blocks.js';

export function damaged(why: string): ProblemError {
  return new ProblemError(
    'bad_file',
    `The pack is damaged: ${why}. Nothing was installed; fetch or make it again.`,
  );
}

/**
 * Reads a pack from beginning to end. The reader accounts for every byte: archive blocks must be exactly the
 * ones that a writer of packs makes, and members must agree with the manifest in order, size and digest. A
 * member's bytes are handed on before its digest is known, so callers make nothing final before `finish`.
 */
export class PackReader {
  readonly #bytes: ByteReader;
  readonly #members: PackMember[];
  #next = 0;

  private constructor(
    readonly manifest: PackManifest,
    readonly manifestBytes: Buffer,
    /** The signer has this public key (base64); null if the pack is not signed. */
    readonly signedBy: string | null,
    bytes: ByteReader,
  ) {
    this.#bytes = bytes;
    this.#members = manifest.members;
  }

  /**
   * Reads as far as the manifest and its signature.
   * @throws ProblemError bad_file
   */
  static async open(source: AsyncIterable<Uint8Array>, rules: SignatureRules): Promise<PackReader> {
    const bytes = new ByteReader(source);
    try {
      return await PackReader.#begin(bytes, rules);
    } catch (error) {
      // A refused file would otherwise stay open.
      await bytes.close();
      throw error;
    }
  }

  static async #begin(bytes: ByteReader, rules: SignatureRules): Promise<PackReader> {
    const manifestBytes = await wholeFile(bytes, manifestName, maxManifestBytes);
    const sum = await wholeFile(bytes, manifestSumName, 65);
    if (sum.toString() !== `${createHash('sha256').update(manifestBytes).digest('hex')}\n`)
      throw damaged('its manifest has another checksum');
    const manifest = manifestIn(manifestBytes);
    // The next entry is the signature, or the first member.
    const first = await header(bytes);
    const isSigned = first.name === signatureName;
    const signature = isSigned ? await content(bytes, first, maxSignatureBytes) : null;
    const signedBy = checkSignature(manifestBytes, signature, rules);
    const reader = new PackReader(manifest, manifestBytes, signedBy, bytes);
    reader.#header = isSigned ? null : first;
    return reader;
  }

  #header: { name: string; sizeBytes: number } | null = null;

  /** This number of bytes of the archive was read. */
  get position(): number {
    return this.#bytes.position;
  }

  /** Adds up the size of the whole pack; a signature takes some hundred bytes more. */
  get sizeBytes(): number {
    return this.#members.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  }

  /**
   * Yields the content of the next member, unpacked. Callers must read it to its end.
   * @throws ProblemError bad_file, at the end also for a wrong digest
   */
  async *member(name: string): AsyncGenerator<Buffer> {
    const member = this.#members[this.#next++];
    if (member?.name !== name) throw damaged(`it has ${member?.name ?? 'no member'} where ${name} belongs`);
    const found = this.#header ?? (await header(this.#bytes));
    this.#header = null;
    if (found.name !== name)
      throw damaged(`it has the file ${JSON.stringify(found.name)} where ${name} belongs`);
    if (found.sizeBytes !== member.size_bytes)
      throw damaged(`${name} has another size than its manifest says`);
    const hash = createHash('sha256');
    const packed = hashed(this.#bytes.pass(member.size_bytes), hash);
    let unpackedBytes = 0;
    for await (const chunk of isPacked(name) ? gunzip(packed, name) : packed) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > member.unpacked_bytes)
        throw damaged(`${name} unpacks to more than its manifest says`);
      yield chunk;
    }
    if (hash.digest('hex') !== member.sha256 || unpackedBytes !== member.unpacked_bytes)
      throw damaged(`${name} has another checksum`);
    await expectBytes(this.#bytes, padding(member.size_bytes));
  }

  /**
   * Checks that the archive ends here.
   * @throws ProblemError bad_file if members are left or bytes follow
   */
  async finish(): Promise<void> {
    if (this.#next !== this.#members.length) throw new Error('members were not read');
    await expectBytes(this.#bytes, archiveEnd);
    if (!(await this.#bytes.atEnd())) throw damaged('bytes follow its end');
  }

  async close(): Promise<void> {
    await this.#bytes.close();
  }
}

/** @throws ProblemError bad_file */
export async function checkPack(
  source: AsyncIterable<Uint8Array>,
  rules: SignatureRules,
): Promise<PackManifest> {
  const reader = await PackReader.open(source, rules);
  try {
    for (const { name } of reader.manifest.members) for await (const _ of reader.member(name));
    await reader.finish();
    return reader.manifest;
  } finally {
    await reader.close();
  }
}

function manifestIn(bytes: Buffer): PackManifest {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw damaged('its manifest is not JSON');
  }
  const format = (json as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > packFormat) {
    throw new ProblemError(
      'bad_file',
      `The pack has the format ${format}, and this version of Kindred reads up to ${packFormat}: install a newer Kindred. Nothing was installed.`,
    );
  }
  const parsed = packManifest.safeParse(json);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues;
    throw damaged(`its manifest does not fit (${path.join('.')}: ${message})`);
  }
  const { members, vectors } = parsed.data;
  const expected = memberNames(vectors.length);
  const wrong = members.findIndex(({ name }, i) => name !== expected[i]);
  if (wrong >= 0)
    throw damaged(`its manifest lists ${JSON.stringify(members[wrong].name)}, which a pack does not contain`);
  if (members.length !== expected.length)
    throw damaged(`its manifest does not list ${expected[members.length]}`);
  for (const member of members) checkSizes(member);
  return parsed.data;
}

function checkSizes({ name, size_bytes, unpacked_bytes }: PackMember): void {
  const limit = isPacked(name) ? maxRatio * size_bytes + blockBytes : size_bytes;
  const most = name === statisticsName ? Math.min(limit, maxStatisticsBytes) : limit;
  if (unpacked_bytes > most)
    throw damaged(`${name} is said to unpack to ${unpacked_bytes} bytes, which is taken for a trap`);
}

async function wholeFile(bytes: ByteReader, name: string, maxBytes: number): Promise<Buffer> {
  const found = await header(bytes);
  if (found.name !== name)
    throw new ProblemError(
      'bad_file',
      `The file is not a pack of a reference: it does not begin with ${name}. Nothing was installed.`,
    );
  return content(bytes, found, maxBytes);
}

async function header(bytes: ByteReader): Promise<{ name: string; sizeBytes: number }> {
  const block = await bytes.take(blockBytes);
  if (block === null) throw damaged('it ends early');
  const found = readHeader(block);
  if (found === null) throw damaged('it has a block that no pack has');
  return found;
}

async function content(
  bytes: ByteReader,
  { name, sizeBytes }: { name: string; sizeBytes: number },
  maxBytes: number,
) {
  if (sizeBytes > maxBytes) throw damaged(`${name} is said to have ${sizeBytes} bytes`);
  const file = await bytes.take(sizeBytes);
  if (file === null) throw damaged('it ends early');
  await expectBytes(bytes, padding(sizeBytes));
  return file;
}

async function expectBytes(bytes: ByteReader, expected: Buffer): Promise<void> {
  const found = await bytes.take(expected.length);
  if (found === null) throw damaged('it ends early');
  if (!found.equals(expected)) throw damaged('it has bytes between its members');
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The function reads all of `packed`, so that the reader is at the next member afterwards. */
async function* gunzip(packed: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Buffer> {
  const unpacker = createGunzip({ chunkSize: 256 * 1024 });
  const feeding = pipeline(Readable.from(packed), unpacker).catch(() => {});
  try {
    yield* unpacker as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
    throw damaged(`${name} has broken gzip data`);
  } finally {
    unpacker.destroy();
    await feeding;
  }
}
