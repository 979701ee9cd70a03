import { createHash } from 'node:crypto';
import type { FastaRecord } from '@kindred/kernels/formats';
import { parseJson } from './json-text.js';
import type { LeftOut } from '@kindred/contracts/left-out';
import { readSequences, type Reading, type UploadLimits } from './sequences.js';

/** An upload as JSON has at most this many keys and values: a few texts, and the parameters of a runner. */
export const maxUploadTokens = 1000;

export interface UploadedSequences {
  records: FastaRecord[];
  leftOut: LeftOut;
  /** The SHA-256 covers the text or the file, as it came. */
  digest: Uint8Array;
}

/** The JSON body is separated from its sequences. */
export interface JsonUpload {
  /** The body is still to be validated; it has only the first character of its `fasta_text`. */
  body: unknown;
  /** The text has the sequences; null if the body has none. */
  text: Uint8Array | null;
}

/** @throws ProblemError as `parseJson` and `readSequences` */
export function splitJsonUpload(bytes: Uint8Array): JsonUpload {
  const body = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), maxUploadTokens);
  if (!isRecord(body) || typeof body.fasta_text !== 'string' || body.fasta_text === '')
    return { body, text: null };
  const text = body.fasta_text;
  return { body: { ...body, fasta_text: text.slice(0, 1) }, text: Buffer.from(text) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** @throws ProblemError as `readSequences` */
export async function readUploadedSequences(
  bytes: Uint8Array,
  reading: Reading,
  limits: UploadLimits,
): Promise<UploadedSequences> {
  const read = await readSequences(bytes, limits, reading);
  return { ...read, digest: createHash('sha256').update(bytes).digest() };
}
