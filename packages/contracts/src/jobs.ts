import { z } from 'zod';

export const queueNames = [
  'svc.ping',
  'svc.jobs',
  'svc.embeddings',
  'svc.embeddings.batch',
  'svc.embeddings.write',
  'svc.predictions',
  'svc.predictions.batch',
  'svc.predictions.write',
  'svc.training',
] as const;
/** Queues whose messages name a job row; the others carry batches. */
export const trackedQueues = [
  'svc.ping',
  'svc.jobs',
  'svc.embeddings',
  'svc.predictions',
  'svc.training',
] as const;
export const deadLetterQueue = 'svc.dead-letter';
/**
 * Types of queues on RabbitMQ. `quorum`: copies on the servers of a cluster, so that the loss of one loses no message. A queue keeps the
 * type that it was made with.
 */
export const queueTypes = ['classic', 'quorum'] as const;
export type QueueType = (typeof queueTypes)[number];

export type QueueName = (typeof queueNames)[number];
export type TrackedQueue = (typeof trackedQueues)[number];

/** Body of a message on a tracked queue. */
export const trackedMessage = z.strictObject({ job_id: z.uuid() });

/** Header of a message on a batch or write queue (a frame: this header and binary blocks). */
export const batchMessage = z.strictObject({
  operation: z.string(),
  /** Id of the coordinator's job. */
  job_id: z.uuid(),
  batch_index: z.int().min(0),
  payload: z.record(z.string(), z.unknown()),
});
export type BatchMessage = z.infer<typeof batchMessage>;
