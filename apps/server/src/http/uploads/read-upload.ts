import { serialize } from 'node:v8';
import type { LeftOut } from '@kindred/contracts/left-out';
import type { FastaRecord } from '@kindred/kernels/formats';
import { readUploadedSequences, splitJsonUpload } from './body.js';
import { task, type TaskControl } from '../../ground/pool/pool.js';
import { nothingLeftOut, type Reading, type SequencePart, type UploadLimits } from './sequences.js';

export interface ReadUploadInput {
  bytes: Uint8Array;
  form: SequencePart | 'json';
  badRecords: Reading['badRecords'];
  limits: UploadLimits;
}
export interface ReadUploadOutput {
  /** The body has the fields without the sequences, and is still to be validated. */
  body: unknown;
  digest: Uint8Array;
  leftOut: LeftOut;
  /** V8 serializes the records in batches, and the event loop takes one batch in a turn. */
  batches: Uint8Array[];
}

/** A batch has this many characters, which the event loop takes in a few milliseconds. */
const batchCharacters = 1 << 20;
/** A record costs time beyond that of its texts, as much as this many characters. */
const charactersOfRecord = 200;

/** Reads the records of an upload, and the other fields of a JSON body. */
async function readUpload(
  { bytes, form, badRecords, limits }: ReadUploadInput,
  { transfer }: Pick<TaskControl, 'transfer'>,
): Promise<ReadUploadOutput> {
  const { body, text } = form === 'json' ? splitJsonUpload(bytes) : { body: undefined, text: bytes };
  if (text === null) return { body, digest: new Uint8Array(), leftOut: nothingLeftOut, batches: [] };
  const { records, ...read } = await readUploadedSequences(
    text,
    { part: form === 'json' ? 'fasta_text' : form, badRecords },
    limits,
  );
  const batches = [...batchesOf(records)];
  transfer(...batches.map(({ buffer }) => buffer));
  return { body, ...read, batches };
}

function* batchesOf(records: readonly FastaRecord[]): Generator<Uint8Array<ArrayBuffer>> {
  let batch: FastaRecord[] = [];
  let characters = 0;
  for (const record of records) {
    batch.push(record);
    characters += charactersOfRecord + record.header.length + record.sequence.length;
    if (characters < batchCharacters) continue;
    yield new Uint8Array(serialize(batch));
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield new Uint8Array(serialize(batch));
}

export const readUploadTask = task(import.meta.url, readUpload);
