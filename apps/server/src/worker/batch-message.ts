import { type BatchMessage, batchMessage } from '@kindred/contracts';
import type { Delivery, Settlement } from '../broker/broker.js';
import { decodeFrame } from '@kindred/kernels/arrays';
import type { BatchKey, BatchStart } from '../store/jobs/job-batches.repository.js';

export interface ReadBatch {
  header: BatchMessage;
  blocks: Record<string, ArrayBufferView>;
  key: BatchKey;
}

/** Null when the body is not a frame with the header of a batch. */
export function readBatch(delivery: Delivery): ReadBatch | null {
  try {
    const { header, blocks } = decodeFrame(delivery.body);
    const message = batchMessage.parse(header);
    return { header: message, blocks, key: { jobId: message.job_id, batchIndex: message.batch_index } };
  } catch {
    return null;
  }
}

/** What becomes of a message whose batch is not to be worked on: done already, or its parent is gone or ended. */
export function settleUnwanted(start: Exclude<BatchStart, { kind: 'begun' }>): Settlement {
  return start.kind === 'stored' || start.parentStatus === 'SUCCEEDED' ? 'ack' : 'reject';
}
