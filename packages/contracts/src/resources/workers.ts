import { z } from 'zod';
import { limitQuery } from '../fields.js';
import { routesOf } from '../route.js';

export const workerStates = ['busy', 'idle', 'draining', 'lost'] as const;
export type WorkerState = (typeof workerStates)[number];

export const workersReply = z.object({
  broker: z.enum(['rabbitmq', 'embedded']),
  workers: z.array(
    z.object({
      id: z.string(),
      role: z.string(),
      host: z.string(),
      pid: z.int(),
      queues: z.array(z.string()),
      version: z.string(),
      state: z.enum(workerStates).meta({
        description:
          'busy: has work; idle: waits for some; draining: stops and takes no more; lost: silent for 30 s, shown for a minute',
      }),
      running_jobs: z.int(),
      working: z.int().meta({ description: 'Jobs and batches in work, by its last report' }),
      started_at: z.string(),
      last_seen_at: z.string(),
    }),
  ),
  queues: z.array(z.object({ name: z.string(), depth: z.int() })),
  dead_letters: z.int(),
  storage: z
    .object({
      database_bytes: z.int().meta({ description: 'Size of the database, indexes included' }),
      disk_free_bytes: z.int().nullable(),
      disk_size_bytes: z.int().nullable(),
    })
    .meta({
      description: 'The disk is that of the folder for reference banks; null where it cannot be asked',
    }),
});

export const deadLetterQuery = z.strictObject({ limit: limitQuery(500) });
export const deadLetterReply = z.object({
  id: z.string(),
  from_queue: z.string(),
  died_at: z.string(),
  headers: z.record(z.string(), z.string()),
  size_bytes: z.int(),
  job_id: z.string().nullable(),
});
export const replayBody = z
  .strictObject({ max_messages: z.int().min(1).max(10_000).default(1000) })
  .nullish()
  .transform((body) => body ?? { max_messages: 1000 });
export const replayedReply = z.object({ replayed: z.int() });
export const purgedReply = z.object({ purged: z.int() });

export const workerRoutes = routesOf('administration', {
  metrics: {
    method: 'GET',
    path: '/metrics',
    floor: 'viewer',
    summary: 'Metrics for Prometheus',
    reply: {
      200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
    },
  },
  status: {
    method: 'GET',
    path: '/workers/status',
    floor: 'operator',
    summary: 'Worker processes and queue depths',
    reply: { 200: workersReply },
  },
  deadLetters: {
    method: 'GET',
    path: '/admin/dlq',
    floor: 'admin',
    summary: 'Messages that were rejected',
    query: deadLetterQuery,
    reply: { 200: z.array(deadLetterReply) },
  },
  replayDeadLetters: {
    method: 'POST',
    path: '/admin/dlq/replay',
    floor: 'admin',
    summary: 'Send rejected messages back to their queues',
    body: replayBody,
    reply: { 200: replayedReply },
  },
  purgeDeadLetters: {
    method: 'POST',
    path: '/admin/dlq/purge',
    floor: 'admin',
    summary: 'Delete rejected messages',
    reply: { 200: purgedReply },
  },
});
