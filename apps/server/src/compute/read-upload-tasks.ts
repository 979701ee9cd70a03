import type { SequencePart, UploadLimits } from '../uploads/sequences.js';
import type { ComputeTask } from './pool.js';

export interface ReadUploadInput {
  bytes: Uint8Array;
  form: SequencePart | 'json';
  limits: UploadLimits;
}
export interface ReadUploadOutput {
  /** Of JSON, to be validated: what it says beside the sequences. */
  body: unknown;
  digest: Uint8Array;
  /** Records as V8 serializes them: the event loop takes one batch in a turn. */
  batches: Uint8Array[];
}
export const readUploadTask: ComputeTask<ReadUploadInput, ReadUploadOutput> = {
  module: 'read-upload',
  export: 'readUpload',
};
