import { type BatchMessage, batchMessage } from '@kindred/contracts';
import type { Delivery, Settlement } from '../broker/broker.js';
import { decodeFrame } from '@kindred/kernels/arrays';
import type { BatchOperation, BatchProduct } from '../operations/operation.js';
import type { BatchKey, BatchStart } from '../store/jobs/job-batches.repository.js';

export interface ReadBatch {
  header: BatchMessage;
  blocks: Record<string, ArrayBufferView>;
  key: BatchKey;
}

/** Null if the body is not a frame with a batch header. */
export function readBatch(delivery: Delivery): ReadBatch | null {
  try {
    const { header, blocks } = decodeFrame(delivery.body);
    const message = batchMessage.parse(header);
    return { header: message, blocks, key: { jobId: message.job_id, batchIndex: message.batch_index } };
  } catch {
    return null;
  }
}

/** What `readBatch` would give for the product of a batch on its write queue. */
export function computedBatch(
  { writeName }: Pick<BatchOperation, 'writeName'>,
  key: BatchKey,
  { header: payload, blocks }: BatchProduct,
): ReadBatch {
  const header = { operation: writeName, job_id: key.jobId, batch_index: key.batchIndex, payload };
  return { key, header, blocks };
}

/**
 * Settlement of a message whose batch needs no work: it is done, or its parent has ended. Only a message without a parent
 * becomes a dead letter: leftovers of cancelled and failed jobs would hide it there.
 */
export function settleUnwanted(start: Exclude<BatchStart, { kind: 'begun' }>): Settlement {
  return start.kind === 'stopped' && start.parentStatus === null ? 'reject' : 'ack';
}
