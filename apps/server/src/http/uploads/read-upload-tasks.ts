import type { LeftOut } from '@kindred/contracts/left-out';
import type { Reading, SequencePart, UploadLimits } from './sequences.js';
import type { ComputeTask } from '../../ground/pool/pool.js';

export interface ReadUploadInput {
  bytes: Uint8Array;
  form: SequencePart | 'json';
  badRecords: Reading['badRecords'];
  limits: UploadLimits;
}
export interface ReadUploadOutput {
  /** Fields of a JSON body apart from the sequences, to be validated. */
  body: unknown;
  digest: Uint8Array;
  leftOut: LeftOut;
  /** Records as V8 serializes them: the event loop takes one batch in a turn. */
  batches: Uint8Array[];
}
export const readUploadTask: ComputeTask<ReadUploadInput, ReadUploadOutput> = {
  file: new URL('./read-upload.js', import.meta.url),
  export: 'readUpload',
};
