import { type QueueName, queueNames, type TrackedQueue, trackedQueues } from '@kindred/contracts';

export type QueueKind = 'tracked' | 'batch' | 'write';

export function queueKind(queue: QueueName): QueueKind {
  if (isTracked(queue)) return 'tracked';
  return queue.endsWith('.write') ? 'write' : 'batch';
}

export function isTracked(queue: QueueName): queue is TrackedQueue {
  return (trackedQueues as readonly string[]).includes(queue);
}

/** Queues on which one worker process runs one job at a time, regardless of its concurrency. */
export const serializedQueues: readonly QueueName[] = ['svc.embeddings', 'svc.training'];

/** The write queue of a batch queue: svc.embeddings.batch -> svc.embeddings.write. */
export function operationWriteQueues(batchQueue: string): QueueName[] {
  const name = batchQueue.replace(/\.batch$/, '.write');
  return queueNames.filter((queue) => queue === name && queue !== batchQueue);
}
