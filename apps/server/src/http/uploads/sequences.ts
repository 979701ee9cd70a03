import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { type BadRecords, type LeftOut, mostListed } from '@kindred/contracts/left-out';
import {
  type FastaRecord,
  FormatError,
  insteadOfOffice,
  packingOf,
  readFasta,
  readFlatFile,
  type Rejection,
  sequenceFormatOfBytes,
  unpackCommand,
  utf8Bytes,
} from '@kindred/kernels/formats';

const chunkBytes = 1 << 18;
const newline = 10;
const reportedFaults = 20;
const maxAccessionLength = 255;

export interface UploadLimits {
  /** SVC_MAX_UPLOAD_BYTES limits both the packed and the unpacked size. */
  maxUploadBytes: number;
  maxSequences: number;
  maxResidues: number;
}
/** The sequences came in this part of a request. */
export type SequencePart = 'file' | 'fasta_text';
export interface Reading {
  part: SequencePart;
  badRecords: BadRecords;
}
export const nothingLeftOut: LeftOut = { count: 0, records: [] };

/**
 * Reads the records of a FASTA text, or the proteins of a GenBank or EMBL file; gzip is detected by its first
 * bytes. An entry without a protein is left out, and so are bad records, if the caller chose that.
 * @throws ProblemError bad_fasta (each fault with record, line and letter), decompressed_too_large,
 * payload_too_large
 */
export async function readSequences(
  bytes: Uint8Array,
  limits: UploadLimits,
  { part, badRecords }: Reading,
): Promise<{ records: FastaRecord[]; leftOut: LeftOut }> {
  if (bytes.byteLength > limits.maxUploadBytes) throw tooLarge(limits.maxUploadBytes);
  const unpackedBytes = isGzip(bytes) ? await unpacked(bytes, limits.maxUploadBytes) : bytes;
  const packing = packingOf(unpackedBytes);
  const office = insteadOfOffice(unpackedBytes);
  if (office !== null) throw new ProblemError('bad_file', `The upload ${office}.`);
  if (packing !== null)
    throw new ProblemError(
      'bad_file',
      `The upload is packed with ${packing}${packing === 'gzip' ? ' twice' : ', which is not read here'}: unpack it first ("${unpackCommand(packing, 'FILE')} > unpacked").`,
    );
  const plain = textBytes(unpackedBytes, part);
  const read = isFlatFile(plain) ? readFlatFile : readFasta;
  const records: FastaRecord[] = [];
  const faults: Rejection[] = [];
  const leftOut = new LeftOutRecords();
  const refuse = badRecords === 'refuse' ? (fault: Rejection) => void faults.push(fault) : leftOut.add;
  let residues = 0;
  try {
    for await (const batch of read(chunksOf(plain), { ...limits, onLeftOut: leftOut.add })) {
      for (const record of batch.records) {
        residues += record.sequence.length;
        if (record.accession.length <= maxAccessionLength) records.push(record);
        else
          refuse({
            line: record.line,
            record: null,
            reason: `accession longer than ${maxAccessionLength} characters`,
          });
      }
      for (const fault of batch.rejected) refuse(fault);
      if (faults.length >= reportedFaults) break;
      // Overlapping coding sequences can have more residues than the genome has letters.
      if (residues > limits.maxUploadBytes) throw tooManyResidues(limits.maxUploadBytes);
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    faults.push(error);
  }
  if (faults.length > 0) throw badFasta(faults, part);
  if (records.length === 0) throw noProtein(leftOut, part);
  return { records, leftOut: leftOut.listed() };
}

/**
 * Gives the text in UTF-8, converted from UTF-16 if it has a byte order mark. Other encodings are refused,
 * because they cannot be recognized.
 */
function textBytes(bytes: Uint8Array, part: SequencePart): Uint8Array {
  try {
    const plain = utf8Bytes(bytes);
    const fault = textFault(plain);
    if (fault === null) return plain;
    throw new FormatError({ line: 1 + fault.line, record: null, reason: fault.reason });
  } catch (error) {
    throw error instanceof FormatError ? badFasta([error], part) : error;
  }
}

/** Counts the records that are left out, and keeps the first of them. */
class LeftOutRecords {
  readonly #records: Rejection[] = [];
  #count = 0;

  readonly add = ({ line, record, reason }: Rejection): void => {
    this.#count++;
    if (this.#records.length < mostListed) this.#records.push({ line, record, reason });
  };

  listed(): LeftOut {
    return { count: this.#count, records: this.#records.toSorted((a, b) => a.line - b.line) };
  }
}

function noProtein(leftOut: LeftOutRecords, part: SequencePart): ProblemError {
  const { count, records } = leftOut.listed();
  const sentences = records.slice(0, reportedFaults).map(sentenceOf);
  const [first] = sentences;
  return new ProblemError(
    'bad_fasta',
    `The upload has no protein: ${count === 1 ? 'its one record was' : `all ${count} records were`} left out. The first: ${first}`,
    { errors: sentences.map((message) => ({ path: `/${part}`, message, code: 'bad_fasta' })) },
  );
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export function isFlatFile(bytes: Uint8Array): boolean {
  const format = sequenceFormatOfBytes(bytes);
  return format === 'genbank' || format === 'embl';
}

export function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The upload is larger than ${maxBytes} bytes. Split it (SVC_MAX_UPLOAD_BYTES).`,
  );
}

function tooManyResidues(maxBytes: number): ProblemError {
  return new ProblemError(
    'decompressed_too_large',
    `The proteins of the file have more than ${maxBytes} residues together. Split it (SVC_MAX_UPLOAD_BYTES).`,
  );
}

/** @throws ProblemError bad_file, decompressed_too_large */
export async function unpacked(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  gunzip.end(bytes);
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      total += chunk.byteLength;
      if (total > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new ProblemError('bad_file', `The gzip file is broken: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (total <= maxBytes) return Buffer.concat(chunks);
  throw new ProblemError(
    'decompressed_too_large',
    `The gzip file unpacks to more than ${maxBytes} bytes. Split it.`,
  );
}

/** Says why the bytes are not text, with the line; null for good ones. */
export function fileTextFault(bytes: Uint8Array): string | null {
  const fault = textFault(bytes);
  return fault === null ? null : `line ${1 + fault.line}: ${fault.reason}`;
}

/** Finds the fault of bytes that are not text, and its line; null if there is none. */
function textFault(bytes: Uint8Array): { line: number; reason: string } | null {
  const zero = bytes.indexOf(0);
  if (zero >= 0) {
    const reason = 'a zero byte: this is not a text file; save it as UTF-8';
    return { line: linesIn(bytes.subarray(0, zero)), reason };
  }
  if (isUtf8(bytes)) return null;
  let line = 0;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(newline, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  return { line, reason: 'not UTF-8 text; save the file as UTF-8' };
}

function linesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}

export function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes);
  }
}

function badFasta(faults: readonly Rejection[], part: SequencePart): ProblemError {
  const shown = faults.slice(0, reportedFaults);
  const sentences = shown.map(sentenceOf);
  const more =
    faults.length > 1
      ? ` (${faults.length === reportedFaults ? 'at least ' : ''}${faults.length} faults)`
      : '';
  return new ProblemError('bad_fasta', `${sentences[0]}${more}`, {
    errors: sentences.map((message) => ({ path: `/${part}`, message, code: 'bad_fasta' })),
  });
}

function sentenceOf({ line, record, reason }: Rejection): string {
  return `line ${line}${record === null ? '' : ` (record ${record})`}: ${reason}`;
}
