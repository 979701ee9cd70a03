import { isUtf8 } from 'node:buffer';
import { deserialize } from 'node:v8';
import { ProblemError } from '@kindred/contracts';
import { maxRunnerParameters } from '@kindred/contracts/runner-fields';
import type { FastaRecord } from '@kindred/kernels/formats';
import type { FastifyRequest } from 'fastify';
import { readUploadTask } from './uploads/read-upload.js';
import { yieldToEventLoop } from '../ground/event-loop.js';
import { readUploadedSequences, splitJsonUpload, type UploadedSequences } from './uploads/body.js';
import { isFlatFile, isGzip, type Reading, type SequencePart, tooLarge } from './uploads/sequences.js';
import type { HttpDeps, HttpSettings } from './deps.js';
import { type FormRules, partFault, readFormParts } from './form-parts.js';

/** A larger text field is treated as a file, except for `longFields`. */
const maxFieldBytes = 64 << 10;
const longFields: Record<string, number> = { runner_parameters: maxRunnerParameters };
/** A smaller upload is read at once, and not in a compute thread: it takes some ten milliseconds at most. */
const inlineBytes = 64 << 10;
const mostMs = 120_000;

export interface Form {
  /** Each field with a short text is found by its name. */
  fields: Record<string, string>;
  /** The text comes from the field `fasta_text`. */
  text: Buffer | null;
  file: { name: string | undefined; bytes: Buffer } | null;
  /** A further file, in the part `hits`, where the route takes one. */
  hits: { name: string | undefined; bytes: Buffer } | null;
}

/** Gives the name of the uploaded file, cut to 255 characters; null if the form gave none. */
export function nameOfFile({ name }: { name: string | undefined }): string | null {
  return name?.trim().slice(0, 255) || null;
}

/**
 * Reads a multipart form with at most one file, in the part `file`, and for some routes another in the part `hits`.
 * @throws ProblemError unsupported_media_type, payload_too_large, validation_failed (another part, a part
 * twice)
 */
export async function readForm(
  request: FastifyRequest,
  settings: HttpSettings,
  fieldNames: readonly string[],
  { takesHits = false } = {},
): Promise<Form> {
  if (!request.isMultipart()) {
    throw new ProblemError('unsupported_media_type', 'Send multipart/form-data with a part named file.');
  }
  const { maxUploadBytes } = settings;
  const judge: FormRules['judge'] = ({ name, file }, earlier) => {
    if (name === 'file' || (name === 'hits' && takesHits)) {
      if (file === null)
        return `sent as text; send a file part, which has a filename (curl -F ${name}=@FILE)`;
      return earlier.has(name) ? 'more than one file; send one, with all its records' : maxUploadBytes;
    }
    if (file !== null) return 'unknown part; the file belongs into the part file';
    if (!fieldNames.includes(name)) return `unknown part; expected file, ${fieldNames.join(', ')}`;
    if (earlier.has(name)) return 'given twice';
    return name === 'fasta_text' ? maxUploadBytes : (longFields[name] ?? maxFieldBytes);
  };
  const form: Form = { fields: {}, text: null, file: null, hits: null };
  for (const part of await readFormParts(request, { maxBytes: maxUploadBytes, judge })) {
    const { name, file, bytes } = part;
    if (file !== null) form[name === 'hits' ? 'hits' : 'file'] = { name: file.name, bytes };
    else if (name === 'fasta_text') form.text = bytes;
    else form.fields[name] = fieldText(name, bytes);
  }
  return form;
}

/** @throws ProblemError validation_failed if its bytes are not UTF-8, or one of them is 0 */
export function fieldText(field: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw partFault(field, 'is not UTF-8 text');
  if (bytes.includes(0)) throw partFault(field, 'holds the character U+0000');
  return bytes.toString();
}

/**
 * Reads the sequences of an upload. A short text is read at once, and an upload that may take long in a
 * compute thread.
 * @throws ProblemError bad_fasta, bad_file, decompressed_too_large, payload_too_large, service_unavailable
 * (it takes too long)
 */
export async function readUpload(
  deps: Pick<HttpDeps, 'compute' | 'settings'>,
  bytes: Uint8Array,
  reading: Reading,
): Promise<UploadedSequences> {
  if (bytes.byteLength > deps.settings.maxUploadBytes) throw tooLarge(deps.settings.maxUploadBytes);
  // Gzip and the genes of a genome become far larger than their bytes.
  if (bytes.byteLength <= inlineBytes && !isGzip(bytes) && !isFlatFile(bytes))
    return readUploadedSequences(bytes, reading, deps.settings);
  return inThread(deps, bytes, { form: reading.part, badRecords: reading.badRecords });
}

/** Reads a JSON body with the text as `fasta_text`. `body` is the rest, which is still to be validated. */
export async function readJsonUpload(
  deps: Pick<HttpDeps, 'compute' | 'settings'>,
  bytes: Uint8Array,
  badRecords: Reading['badRecords'],
): Promise<{ body: unknown; upload: UploadedSequences | null }> {
  if (bytes.byteLength > inlineBytes) {
    const { body, ...upload } = await inThread(deps, bytes, { form: 'json', badRecords });
    return { body, upload };
  }
  const { body, text } = splitJsonUpload(bytes);
  return {
    body,
    upload: text === null ? null : await readUpload(deps, text, { part: 'fasta_text', badRecords }),
  };
}

async function inThread(
  {
    compute,
    settings: { maxUploadBytes, maxSequences, maxResidues },
  }: Pick<HttpDeps, 'compute' | 'settings'>,
  bytes: Uint8Array,
  reading: { form: SequencePart | 'json' } & Pick<Reading, 'badRecords'>,
): Promise<UploadedSequences & { body: unknown }> {
  const input = { bytes, ...reading, limits: { maxUploadBytes, maxSequences, maxResidues } };
  const { buffer } = bytes;
  // Small buffers may share their memory with others, so they are copied.
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  const options = {
    signal: AbortSignal.timeout(mostMs),
    urgent: true,
    transfer: isAlone ? [buffer] : [],
  };
  const { batches, ...read } = await compute.run(readUploadTask, input, options).catch((error) => {
    throw refusalOf(error);
  });
  const records: FastaRecord[] = [];
  for (const batch of batches) {
    records.push(...(deserialize(batch) as FastaRecord[]));
    await yieldToEventLoop();
  }
  return { ...read, records };
}

function refusalOf(error: unknown): unknown {
  const { name, code } = error as { name?: string; code?: string };
  if (name === 'TimeoutError')
    return new ProblemError(
      'service_unavailable',
      `Reading the upload took longer than ${mostMs / 1000} s. Split it, or try again when the service has less to do.`,
      { cause: error },
    );
  if (code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new ProblemError('out_of_resources', 'Reading the upload took too much memory. Split it.', {
      cause: error,
    });
  return error;
}
