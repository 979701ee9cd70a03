import { type BatchMessage, batchMessage } from '@kindred/contracts';
import type { Delivery } from '../broker/broker.js';
import { decodeFrame } from '@kindred/kernels/arrays';
import type { BatchOperation, BatchProduct } from '../operation/operation.js';
import type { BatchKey } from '../../store/jobs/job-batches.repository.js';

export interface ReadBatch {
  header: BatchMessage;
  blocks: Record<string, ArrayBufferView>;
  key: BatchKey;
}

/** Reads a batch; null if the body is not a frame with a batch header. */
export function readBatch(delivery: Delivery): ReadBatch | null {
  try {
    const { header, blocks } = decodeFrame(delivery.body);
    const message = batchMessage.parse(header);
    return { header: message, blocks, key: { jobId: message.job_id, batchIndex: message.batch_index } };
  } catch {
    return null;
  }
}

/** Makes the batch that `readBatch` would give for its product on the write queue. */
export function computedBatch(
  { writeName }: Pick<BatchOperation, 'writeName'>,
  key: BatchKey,
  { header: payload, blocks }: BatchProduct,
): ReadBatch {
  const header = { operation: writeName, job_id: key.jobId, batch_index: key.batchIndex, payload };
  return { key, header, blocks };
}
