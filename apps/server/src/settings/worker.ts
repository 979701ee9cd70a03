import { z } from 'zod';
import { integer } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

/** How workers run. */
export const workerSettingRows = {
  workerProcesses: {
    env: 'SVC_WORKER_PROCESSES',
    yaml: 'worker.processes',
    schema: integer(1, 64, 1),
    example: '2',
    description: 'Worker processes that serve starts',
  },
  workerConcurrency: {
    env: 'SVC_WORKER_CONCURRENCY',
    yaml: 'worker.concurrency',
    schema: integer(1, 64, 2),
    example: '8',
    description: 'Deliveries of each queue that a worker has in work at once',
  },
  computeThreads: {
    env: 'SVC_COMPUTE_THREADS',
    yaml: 'worker.compute_threads',
    schema: integer(0, 256, 0),
    whenUnset: 'one per core',
    example: '4',
    description: 'Threads for numeric work in each worker; 0 is one per core',
  },
  nativeKernels: {
    env: 'SVC_NATIVE_KERNELS',
    yaml: 'worker.native_kernels',
    schema: z
      .enum(
        ['on', 'off', 'avx512', 'avxvnni', 'avx2', 'plain'],
        'is none of on, off, avx512, avxvnni, avx2, plain',
      )
      .default('on'),
    example: 'avx2',
    description: 'The compiled kernels: the best that this processor runs, none, or one set of instructions',
  },
  leaseSeconds: {
    env: 'SVC_LEASE_SECONDS',
    yaml: 'worker.lease_seconds',
    schema: integer(2, 3600, 120),
    example: '60',
    description: 'A job of a worker that is silent for so long is given to another',
  },
  jobDeadlineHours: {
    env: 'SVC_JOB_DEADLINE_HOURS',
    yaml: 'worker.job_deadline_hours',
    schema: integer(1, 8760, 168),
    example: '24',
    description: 'A job that is not finished so many hours after it was submitted fails',
  },
  sweepPeriodMs: {
    env: 'SVC_SWEEP_PERIOD_MS',
    yaml: 'worker.sweep_period_ms',
    schema: integer(100, 600_000, 5000),
    example: '1000',
    description: 'How often lost and expired work is looked for',
  },
} as const satisfies Record<string, SettingRow>;
export type WorkerSlice = SliceOf<typeof workerSettingRows>;
