import { createHash } from 'node:crypto';
import type { FastaRecord } from '@kindred/kernels/formats';
import { parseJson } from './json-text.js';
import type { LeftOut } from '@kindred/contracts/left-out';
import { readSequences, type Reading, type UploadLimits } from './sequences.js';

/** Most keys and values of an upload as JSON: a few texts, and the parameters of a runner. */
export const maxUploadTokens = 1000;

export interface UploadedSequences {
  records: FastaRecord[];
  leftOut: LeftOut;
  /** SHA-256 of the text or the file, as it came. */
  digest: Uint8Array;
}

/** Content of a JSON body, with its sequences apart. */
export interface JsonUpload {
  /** To be validated: the body with no more of its `fasta_text` than the first character. */
  body: unknown;
  /** Null: the body has no text of sequences. */
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
