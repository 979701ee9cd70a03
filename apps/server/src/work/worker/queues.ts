import { type QueueName, queueNames, type TrackedQueue, trackedQueues } from '@kindred/contracts';

export type QueueKind = 'tracked' | 'batch' | 'write';

export function queueKind(queue: QueueName): QueueKind {
  if (isTracked(queue)) return 'tracked';
  return queue.endsWith('.write') ? 'write' : 'batch';
}

export function isTracked(queue: QueueName): queue is TrackedQueue {
  return (trackedQueues as readonly string[]).includes(queue);
}

/** One worker process runs one job at a time on these queues, regardless of its concurrency. */
const serializedQueues: readonly QueueName[] = ['svc.embeddings', 'svc.training'];

/**
 * Jobs of these queues cost a worker next to nothing. Many run at once in one process, whatever its
 * concurrency, so that they share the statements that claim and end them.
 */
const weightlessQueues: readonly QueueName[] = ['svc.ping'];
const weightlessAtOnce = 128;

/** One worker process runs this many jobs of a tracked queue at once. */
export function jobsAtOnce(queue: TrackedQueue, concurrency: number): number {
  if (serializedQueues.includes(queue)) return 1;
  return weightlessQueues.includes(queue) ? Math.max(concurrency, weightlessAtOnce) : concurrency;
}

/** Names the write queue of a batch queue: svc.embeddings.batch -> svc.embeddings.write. */
export function operationWriteQueues(batchQueue: string): QueueName[] {
  const name = batchQueue.replace(/\.batch$/, '.write');
  return queueNames.filter((queue) => queue === name && queue !== batchQueue);
}
