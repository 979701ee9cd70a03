import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import {
  accessionList,
  type FastaRecord,
  FormatError,
  type LeftOutProtein,
  type ParsedBatch,
  readFlatFile,
  readGenome,
  readGff3Proteins,
  type SequenceFormat,
  sequenceFormat,
  writeFasta,
} from '@kindred/kernels/formats';
import { sha256OfChunks } from '../ground/digest.js';
import { requireFile } from './require-file.js';

/** The proteins of a command, in the form in which they are sent to the service. */
export interface QueryFile {
  /** Name of the file without folders. */
  name: string;
  /** FASTA, as it is or packed with gzip. */
  bytes: Uint8Array;
  /** SHA-256 of the file that was read. */
  sha256: string;
  /** UniProt accessions of a list; `withSequences` gets their sequences. */
  accessions?: string[];
}

export interface GenomeOptions {
  /** FASTA of the genome that a GFF3 file describes. */
  genome?: string;
  /** Genetic code of features that name none. */
  geneticCode?: number;
  quiet?: boolean;
}

const standardInput = '-';
const shownFaults = 5;

/**
 * Reads FASTA, GenBank, EMBL, GFF3 or a list of UniProt accessions, plain, gzip or zstd, from a file or from standard input (`-`).
 * Everything but FASTA and accessions becomes FASTA; what has no protein is counted on standard error.
 *
 * @throws ProblemError bad_file with line and record
 */
export async function readQueries(path: string, options: GenomeOptions = {}): Promise<QueryFile> {
  const raw = await bytesOf(await openBytes(path));
  const name = path === standardInput ? 'standard-input' : basename(path);
  const sha256 = await sha256OfChunks(chunks([raw]));
  const plain = await unpacked(raw, name);
  const format = sequenceFormat(Buffer.from(plain.subarray(0, 4096)).toString('latin1'));
  if (format !== 'gff3' && options.genome !== undefined)
    throw new ProblemError('bad_file', `--genome goes with a GFF3 file; ${name} is not one.`);
  const accessions = format === null ? accessionList(Buffer.from(plain).toString('latin1')) : null;
  if (accessions !== null) return { name: asFasta(name), bytes: plain, sha256, accessions };
  // A format that the service does not know either is refused there, with the line.
  if (format === 'fasta' || format === null) return { name, bytes: isGzip(raw) ? raw : plain, sha256 };
  const records = await proteinsOf({ plain, name, format }, options);
  const text = [...writeFasta(records)].join('');
  return { name: asFasta(name), bytes: Buffer.from(text), sha256 };
}

const asFasta = (name: string) => `${name.replace(/\.gz$/, '')}.fasta`;

async function proteinsOf(
  { plain, name, format }: { plain: Uint8Array; name: string; format: SequenceFormat },
  { genome, geneticCode, quiet }: GenomeOptions,
): Promise<FastaRecord[]> {
  const leftOut: LeftOutProtein[] = [];
  const reading = { onLeftOut: (one: LeftOutProtein) => void leftOut.push(one) };
  const records: FastaRecord[] = [];
  const take = (batch: ParsedBatch<FastaRecord>) => {
    if (batch.rejected.length > 0) throw new FormatError(batch.rejected[0]);
    for (const record of batch.records) records.push(record);
  };
  try {
    if (format === 'gff3') {
      const sequences = genome === undefined ? null : await readGenomeFile(genome);
      take(await readGff3Proteins(plain, sequences, { ...reading, table: geneticCode }));
    } else for await (const batch of readFlatFile(plain, reading)) take(batch);
  } catch (error) {
    throw inFile(name, error);
  }
  if (leftOut.length > 0 && quiet !== true) process.stderr.write(leftOutText(leftOut));
  if (records.length > 0) return records;
  throw new ProblemError('bad_file', `${name} has no protein. ${leftOutText(leftOut)}`.trimEnd());
}

async function readGenomeFile(path: string) {
  const name = basename(path);
  const bytes = await unpacked(await bytesOf(await openBytes(path)), name);
  try {
    return await readGenome(bytes);
  } catch (error) {
    throw inFile(name, error);
  }
}

function inFile(name: string, error: unknown): unknown {
  return error instanceof FormatError ? new ProblemError('bad_file', `${name}, ${error.message}`) : error;
}

function leftOutText(leftOut: readonly LeftOutProtein[]): string {
  const shown = leftOut
    .slice(0, shownFaults)
    .map(({ line, record, reason }) => `  line ${line} (${record}): ${reason}\n`);
  const more = leftOut.length > shownFaults ? `  and ${leftOut.length - shownFaults} more\n` : '';
  return `${leftOut.length} coding sequences have no protein:\n${shown.join('')}${more}`;
}

async function openBytes(path: string): Promise<Readable> {
  if (path === standardInput) return process.stdin;
  await requireFile(path);
  return createReadStream(path);
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

async function* chunks(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;
const isZstd = (bytes: Uint8Array) =>
  bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
const isBzip2 = (bytes: Uint8Array) => bytes[0] === 0x42 && bytes[1] === 0x5a && bytes[2] === 0x68;

async function unpacked(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  if (isBzip2(bytes))
    throw new ProblemError(
      'bad_file',
      `${name} is packed with bzip2, which is not read here: pipe it, "bzip2 -dc ${name} | kindred annotate -".`,
    );
  const unpack = isGzip(bytes) ? zlib.createGunzip() : isZstd(bytes) ? zstd(name) : null;
  if (unpack === null) return bytes;
  unpack.end(bytes);
  return bytesOf(unpack).catch((cause: Error) => {
    throw new ProblemError('bad_file', `${name} cannot be unpacked: ${cause.message}.`, { cause });
  });
}

/** Unpacks zstd, which Node has from 22.15 on. */
function zstd(name: string): Transform {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };
  if (createZstdDecompress !== undefined) return createZstdDecompress();
  throw new ProblemError(
    'bad_file',
    `${name} is packed with zstd, which Node reads from 22.15 on: pipe it, "zstd -dc ${name} | kindred annotate -".`,
  );
}
