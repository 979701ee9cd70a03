import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import type { BadRecords } from '@kindred/contracts/left-out';
import { accessionList, strangerSentence } from '@kindred/kernels/accessions';
import {
  type FastaRecord,
  FormatError,
  type Genome,
  insteadOfOffice,
  packingOf,
  type ParsedBatch,
  readFasta,
  readFlatFile,
  readGenome,
  readGff3Proteins,
  type Rejection,
  type SequenceFormat,
  sequenceFormatOfBytes,
  textOfBytes,
  unpackCommand,
  writeFasta,
} from '@kindred/kernels/formats';
import { checkSequence, dnaShare } from '@kindred/kernels/query-check';
import { sha256OfChunks } from '../ground/digest.js';
import { type CalledGenes, callGenes, genesText } from './gene-finder.js';
import { requireFile } from './require-file.js';

/** A command was given this record or accession and does not annotate it. */
export interface LeftOut {
  protein: string;
  /** The reason is a code, such as `no_protein` for a coding sequence that makes none. */
  reason: string;
  sentence: string;
}

/** The proteins of a command have the form in which they are sent to the service. */
export interface QueryFile {
  /** The file has this name, without folders. */
  name: string;
  /** The FASTA text is stored as it is, or packed with gzip. */
  bytes: Uint8Array;
  /** The SHA-256 covers the file as it was read. */
  sha256: string;
  /** A list gives these UniProt accessions; `withSequences` gets their sequences. */
  accessions?: string[];
  /** The file has these entries besides the proteins. */
  leftOut: readonly LeftOut[];
  /** The file has contigs, whose genes were called. */
  genes?: CalledGenes;
}

export interface GenomeOptions {
  /** The file has contigs, and a program calls their genes. */
  genes?: boolean;
  /** A GFF3 file describes the genome whose FASTA has this path. */
  genome?: string;
  /** Genes of a file that states no genetic code have this one. */
  geneticCode?: number;
  /** @default refuse */
  badRecords?: BadRecords;
}

const standardInput = '-';
const shownFaults = 5;
/** This many bytes of a record tell nucleotides from residues. */
const lookedAt = 20_000;

/**
 * Reads FASTA, GenBank, EMBL, GFF3 or a list of UniProt accessions, plain, gzip or zstd, from a file or from
 * standard input (`-`). Other formats than FASTA and accessions become FASTA. Standard error counts entries
 * without a protein, and bad records that the caller wants to leave out.
 *
 * @throws ProblemError bad_file with line and record
 */
export async function readQueries(path: string, options: GenomeOptions = {}): Promise<QueryFile> {
  const raw = await bytesOf(await openBytes(path));
  const name = path === standardInput ? 'standard-input' : basename(path);
  const sha256 = await sha256OfChunks(chunks([raw]));
  const plain = await unpacked(raw, name);
  const format = sequenceFormatOfBytes(plain);
  if (format !== 'gff3' && options.genome !== undefined)
    throw new ProblemError('bad_file', `--genome goes with a GFF3 file; ${name} is not one.`);
  if (options.genes === true) {
    if (format !== 'fasta')
      throw new ProblemError(
        'bad_file',
        `--genes goes with FASTA of contigs; ${name} is ${format === null ? 'not FASTA' : 'a file that names its genes or proteins itself: leave --genes out'}.`,
      );
    return { sha256, ...(await proteinsOfContigs(plain, name, options)) };
  }
  if (format === 'fasta') refuseNucleotides(plain, name);
  if (format === null) {
    const accessions = accessionsIn(plain, name);
    if (accessions !== null) return { name: asFasta(name), bytes: plain, sha256, accessions, leftOut: [] };
  }
  // The service refuses a format that it does not know either, with the line.
  if (format === null || (format === 'fasta' && options.badRecords !== 'leave_out'))
    return { name, bytes: packingOf(raw) === 'gzip' ? raw : plain, sha256, leftOut: [] };
  const { records, leftOut } = await proteinsOf({ plain, name, format }, options);
  const text = [...writeFasta(records)].join('');
  return {
    name: format === 'fasta' ? name.replace(/\.gz$/, '') : asFasta(name),
    bytes: Buffer.from(text),
    sha256,
    leftOut,
  };
}

/** Calls the genes of contigs. Standard error says by which program, and which genes the ends of contigs cut. */
async function proteinsOfContigs(
  plain: Uint8Array,
  name: string,
  { geneticCode, badRecords }: GenomeOptions,
): Promise<Omit<QueryFile, 'sha256'>> {
  const genome = await readGenome(plain).catch((error: unknown) => {
    throw inFile(name, error);
  });
  for (const [record, letters] of genome) {
    const stranger = /[^ACGTUNRYSWKMBDHVX-]/.exec(letters)?.[0];
    const isProtein = stranger !== undefined || !isNucleic(letters);
    if (isProtein)
      throw new ProblemError(
        'bad_file',
        `${name}, record ${record}: ${stranger === undefined ? 'few of its letters are bases' : `"${stranger}" is not a base`}. --genes finds genes in contigs; proteins are annotated without it.`,
      );
  }
  const genes = await callGenes(genome, name, geneticCode);
  const gff3 = { plain: genes.gff3, name: `the genes of ${name}`, format: 'gff3' as const };
  const { records, leftOut } = await proteinsOf(gff3, { contigs: genome, geneticCode, badRecords });
  const named = records.map((record) => {
    const accession = genes.nameOfLine.get(record.line) ?? record.accession;
    return { ...record, accession, header: accession };
  });
  process.stderr.write(`${genesText(genes)}\n`);
  return { name: asFasta(name), bytes: Buffer.from([...writeFasta(named)].join('')), leftOut, genes };
}

/** Runs of N join the pieces of a contig, and other letters that stand for several bases are few. */
function isNucleic(letters: string): boolean {
  const bases = letters.match(/[ACGTUNX-]/g)?.length ?? 0;
  return bases >= dnaShare * letters.length;
}

/** Refuses a file of nucleotides alone. Among proteins, the service says of such a record that it has no answer. */
function refuseNucleotides(plain: Uint8Array, name: string): void {
  const bytes = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
  for (let at = bytes.indexOf('>'); at >= 0; ) {
    const next = bytes.indexOf('\n>', at);
    const end = next < 0 ? bytes.length : next;
    const start = bytes.indexOf('\n', at);
    if (start < 0) return;
    const letters = bytes.toString('latin1', start, Math.min(end, start + lookedAt));
    if (checkSequence(letters.replaceAll(/\s/g, '').toUpperCase()) !== 'looks_like_dna') return;
    at = next < 0 ? -1 : next + 1;
  }
  throw new ProblemError(
    'bad_file',
    `${name} has nucleotides, not proteins. --genes finds the genes of bacteria, archaea and viruses in them first; for other organisms, give GFF3 with --genome, or proteins.`,
  );
}

/**
 * Null means that the file does not begin with an accession.
 * @throws ProblemError bad_file naming the word that is not an accession
 */
function accessionsIn(plain: Uint8Array, name: string): string[] | null {
  const text = textIn(plain, name);
  const accessions = accessionList(text);
  const stranger = accessions === null ? strangerSentence(text) : null;
  if (stranger === null) return accessions;
  throw new ProblemError('bad_file', `${name}, ${stranger}`);
}

function textIn(plain: Uint8Array, name: string): string {
  try {
    return textOfBytes(plain);
  } catch (error) {
    throw inFile(name, error);
  }
}

const asFasta = (name: string) => `${name.replace(/\.gz$/, '')}.fasta`;

async function proteinsOf(
  { plain, name, format }: { plain: Uint8Array; name: string; format: SequenceFormat },
  { genome, contigs, geneticCode, badRecords }: GenomeOptions & { contigs?: Genome },
): Promise<{ records: FastaRecord[]; leftOut: LeftOut[] }> {
  const leftOut: LeftOut[] = [];
  const onLeftOut = (one: Rejection) => void leftOut.push(leftOutOf(one, 'no_protein'));
  const records: FastaRecord[] = [];
  const take = ({ rejected, records: read }: ParsedBatch<FastaRecord>) => {
    if (rejected.length > 0 && badRecords !== 'leave_out') throw new FormatError(rejected[0]);
    for (const one of rejected) leftOut.push(leftOutOf(one, 'unreadable'));
    for (const record of read) records.push(record);
  };
  try {
    if (format === 'gff3') {
      const sequences = contigs ?? (genome === undefined ? null : await readGenomeFile(genome));
      take(await readGff3Proteins(plain, sequences, { onLeftOut, table: geneticCode }));
    } else if (format === 'fasta') for await (const batch of readFasta(plain)) take(batch);
    else for await (const batch of readFlatFile(plain, { onLeftOut })) take(batch);
  } catch (error) {
    throw inFile(name, error);
  }
  const text = leftOutText(leftOut);
  if (records.length === 0) throw new ProblemError('bad_file', `${name} has no protein. ${text}`.trimEnd());
  process.stderr.write(text);
  return { records, leftOut };
}

function leftOutOf({ line, record, reason: why }: Rejection, reason: string): LeftOut {
  return { protein: record ?? '', reason, sentence: `Line ${line}: ${why}` };
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

/** --quiet does not hide this, because it is a loss. */
function leftOutText(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return '';
  const shown = leftOut
    .slice(0, shownFaults)
    .map(({ protein, sentence }) => `  ${sentence}${protein === '' ? '' : ` (${protein})`}\n`);
  const more = leftOut.length > shownFaults ? `  and ${leftOut.length - shownFaults} more\n` : '';
  return `${leftOut.length} records have no protein and are left out:\n${shown.join('')}${more}`;
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

async function unpacked(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  const packing = packingOf(bytes);
  if (packing === null) return bytes;
  const unpack =
    packing === 'gzip' ? zlib.createGunzip() : packing === 'zstd' ? createZstdDecompress?.() : undefined;
  if (unpack === undefined) {
    const office = insteadOfOffice(bytes);
    if (office !== null) throw new ProblemError('bad_file', `${name} ${office}.`);
    const which = packing === 'zstd' ? 'Node reads from 22.15 on' : 'is not read here';
    throw new ProblemError(
      'bad_file',
      `${name} is packed with ${packing}, which ${which}: pipe it, "${unpackCommand(packing, name)} | kindred annotate -".`,
    );
  }
  unpack.end(bytes);
  return bytesOf(unpack).catch((cause: Error) => {
    throw new ProblemError('bad_file', `${name} cannot be unpacked: ${cause.message}.`, { cause });
  });
}

/** Node has zstd from 22.15 on. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };
