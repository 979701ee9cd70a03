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
/** The queues whose messages name a job row; those of the other queues carry batches. */
export const trackedQueues = [
  'svc.ping',
  'svc.jobs',
  'svc.embeddings',
  'svc.predictions',
  'svc.training',
] as const;
export const deadLetterQueue = 'svc.dead-letter';
/**
 * The types of queues on RabbitMQ. A `quorum` queue has copies on the servers of a cluster, so that the loss of one loses no message. A
 * queue keeps the type that it was made with.
 */
export const queueTypes = ['classic', 'quorum'] as const;
export type QueueType = (typeof queueTypes)[number];

export type QueueName = (typeof queueNames)[number];
export type TrackedQueue = (typeof trackedQueues)[number];

/** The body of a message on a tracked queue. */
export const trackedMessage = z.strictObject({ job_id: z.uuid() });

/** The header of a message on a batch or write queue. The message is a frame: this header and binary blocks. */
export const batchMessage = z.strictObject({
  operation: z.string(),
  /** The id of the coordinator's job. */
  job_id: z.uuid(),
  batch_index: z.int().min(0),
  payload: z.record(z.string(), z.unknown()),
});
export type BatchMessage = z.infer<typeof batchMessage>;
