import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import {
  type FastaRecord,
  FormatError,
  readFasta,
  readFlatFile,
  type Rejection,
  sequenceFormat,
} from '@kindred/kernels/formats';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { joinYielding, yieldToEventLoop, chunksYielding } from '../event-loop.js';
import type { HttpSettings } from './deps.js';
import { validationProblem } from './problems.js';

const chunkBytes = 1 << 18;
const newline = 10;
const reportedFaults = 20;
const maxAccessionLength = 255;

export interface Form {
  /** Text fields by name. */
  fields: Record<string, string>;
  file: { name: string | undefined; bytes: Buffer } | null;
}

/** A name for what the file holds, cut to 255 characters; null: the form gave the file none. */
export function nameOfFile({ name }: { name: string | undefined }): string | null {
  return name?.trim().slice(0, 255) || null;
}

/**
 * Reads a multipart form with at most one file, in the part `file`.
 * @throws ProblemError unsupported_media_type, payload_too_large, validation_failed (another part, a part twice)
 */
export async function readForm(
  request: FastifyRequest,
  settings: HttpSettings,
  fieldNames: readonly string[],
): Promise<Form> {
  if (!request.isMultipart()) {
    throw new ProblemError('unsupported_media_type', 'Send multipart/form-data with a part named file.');
  }
  refuseByLength(request, settings.maxUploadBytes);
  try {
    return await collectParts(request, settings, fieldNames);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'FST_FILES_LIMIT')
      throw fieldFault('file', 'more than one file; send one, with all its records');
    // The parser's own complaints about a form that is cut off have no code.
    if (error instanceof ProblemError || (error as { code?: unknown }).code !== undefined) throw error;
    throw new ProblemError('malformed_request', `The form could not be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

async function collectParts(
  request: FastifyRequest,
  settings: HttpSettings,
  fieldNames: readonly string[],
): Promise<Form> {
  const form: Form = { fields: {}, file: null };
  for await (const part of request.parts()) {
    const { fieldname } = part;
    const taken = fieldname === 'file' ? form.file !== null : fieldname in form.fields;
    if (taken) throw fieldFault(fieldname, 'given twice');
    if (part.type === 'file') {
      if (fieldname !== 'file')
        throw fieldFault(fieldname, 'unknown part; the file belongs into the part file');
      form.file = { name: part.filename, bytes: await bytesOf(part, settings.maxUploadBytes) };
    } else if (fieldNames.includes(fieldname)) {
      if (part.valueTruncated) throw tooLarge(settings.maxUploadBytes);
      form.fields[fieldname] = fieldText(fieldname, String(part.value));
    } else if (fieldname === 'file') {
      throw fieldFault(
        'file',
        'sent as text; send a file part, which has a filename (curl -F file=@name.fasta)',
      );
    } else {
      throw fieldFault(fieldname, `unknown part; expected file, ${fieldNames.join(', ')}`);
    }
  }
  return form;
}

/** A text field's value: the parser has put the replacement character where its bytes are not UTF-8. @throws ProblemError validation_failed */
export function fieldText(field: string, text: string): string {
  if (!text.includes('\ufffd')) return text;
  throw fieldFault(field, 'is not UTF-8 text, or has the replacement character U+FFFD');
}

/** All bytes of the part; the parser cuts it off at the limit, and the rest is read so that the answer gets through. */
async function bytesOf({ file }: MultipartFile, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file) {
    if (file.truncated) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (file.truncated) throw tooLarge(maxBytes);
  return joinYielding(chunks);
}

/** Checked before reading: the parts' headers take a little space in addition to the file. */
function refuseByLength(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + 65_536) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The upload is larger than ${maxBytes} bytes. Split it (SVC_MAX_UPLOAD_BYTES).`,
  );
}

/** Why the bytes are not text, with the line; null for good ones. */
export function fileTextFault(bytes: Uint8Array): string | null {
  const fault = textFault(bytes);
  return fault === null ? null : `line ${1 + fault.line}: ${fault.reason}`;
}

function fieldFault(field: string, message: string): ProblemError {
  return validationProblem([{ path: `/${field}`, message, code: 'bad_part' }]);
}

/**
 * The records of an uploaded FASTA text, or the proteins of a GenBank or EMBL file; gzip by its first bytes. Yields to the
 * event loop between chunks.
 * @throws ProblemError bad_fasta (each fault with record, line and letter), decompressed_too_large, payload_too_large
 */
export async function readUploadedFasta(
  bytes: Uint8Array,
  settings: HttpSettings,
  part: 'file' | 'fasta_text',
): Promise<FastaRecord[]> {
  if (bytes.byteLength > settings.maxUploadBytes) throw tooLarge(settings.maxUploadBytes);
  const plain = isGzip(bytes) ? await unpacked(bytes, settings.maxUploadBytes) : bytes;
  await requireText(plain, part);
  const limits = { maxSequences: settings.maxSequences, maxResidues: settings.maxResidues };
  const format = sequenceFormat(Buffer.from(plain.subarray(0, 4096)).toString('latin1'));
  const read = format === 'genbank' || format === 'embl' ? readFlatFile : readFasta;
  const records: FastaRecord[] = [];
  const faults: Rejection[] = [];
  try {
    for await (const batch of read(chunksOf(plain), limits)) {
      for (const record of batch.records) {
        if (record.accession.length <= maxAccessionLength) records.push(record);
        else
          faults.push({
            line: record.line,
            record: null,
            reason: `accession longer than ${maxAccessionLength} characters`,
          });
      }
      faults.push(...batch.rejected);
      if (faults.length >= reportedFaults) break;
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    faults.push(error);
  }
  if (faults.length > 0) throw badFasta(faults, part);
  return records;
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

async function unpacked(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
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
  if (total <= maxBytes) return joinYielding(chunks);
  throw new ProblemError(
    'decompressed_too_large',
    `The gzip file unpacks to more than ${maxBytes} bytes. Split it.`,
  );
}

async function requireText(bytes: Uint8Array, part: string): Promise<void> {
  let line = 1;
  for await (const piece of chunksYielding(bytes, { wholeCharacters: true })) {
    const fault = textFault(piece);
    if (fault !== null)
      throw badFasta([{ line: line + fault.line, record: null, reason: fault.reason }], part);
    line += linesIn(piece);
  }
}

/** What is not text, and how many lines into the piece. */
function textFault(piece: Uint8Array): { line: number; reason: string } | null {
  const zero = piece.indexOf(0);
  if (zero >= 0) {
    const reason = 'a zero byte: this is not a text file, or it is UTF-16; save it as UTF-8';
    return { line: linesIn(piece.subarray(0, zero)), reason };
  }
  if (isUtf8(piece)) return null;
  let line = 0;
  for (let start = 0; ; line++) {
    const end = piece.indexOf(newline, start);
    if (end < 0 || !isUtf8(piece.subarray(start, end))) break;
    start = end + 1;
  }
  return { line, reason: 'not UTF-8 text; save the file as UTF-8' };
}

function linesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes);
    await yieldToEventLoop();
  }
}

function badFasta(faults: readonly Rejection[], part: string): ProblemError {
  const shown = faults.slice(0, reportedFaults);
  const sentences = shown.map(
    ({ line, record, reason }) => `line ${line}${record === null ? '' : ` (record ${record})`}: ${reason}`,
  );
  const more =
    faults.length > 1
      ? ` (${faults.length === reportedFaults ? 'at least ' : ''}${faults.length} faults)`
      : '';
  return new ProblemError('bad_fasta', `${sentences[0]}${more}`, {
    errors: sentences.map((message) => ({ path: `/${part}`, message, code: 'bad_fasta' })),
  });
}
