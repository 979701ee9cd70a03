import { z } from 'zod';
import { integer } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

export const workerSettingRows = {
  workerProcesses: {
    env: 'SVC_WORKER_PROCESSES',
    yaml: 'worker.processes',
    schema: integer(1, 64, 1),
    example: '2',
    description: 'Number of worker processes that serve starts',
  },
  workerConcurrency: {
    env: 'SVC_WORKER_CONCURRENCY',
    yaml: 'worker.concurrency',
    schema: integer(1, 64, 2),
    example: '8',
    description: 'Maximum number of messages per queue that a worker handles at once',
  },
  computeThreads: {
    env: 'SVC_COMPUTE_THREADS',
    yaml: 'worker.compute_threads',
    schema: integer(0, 256, 0),
    whenUnset: 'one per core',
    example: '4',
    description: 'Threads for numeric work in each worker; 0: one per core',
  },
  nativeKernels: {
    env: 'SVC_NATIVE_KERNELS',
    yaml: 'worker.native_kernels',
    schema: z
      .enum(
        ['on', 'off', 'avx512', 'avxvnni', 'avx2', 'plain'],
        'must be on, off, avx512, avxvnni, avx2 or plain',
      )
      .default('on'),
    example: 'avx2',
    description: 'Compiled kernels: on (the fastest for this processor), off, or one instruction set',
  },
  leaseSeconds: {
    env: 'SVC_LEASE_SECONDS',
    yaml: 'worker.lease_seconds',
    schema: integer(2, 3600, 120),
    example: '60',
    description: 'Time without a heartbeat after which another worker takes over a job',
  },
  jobDeadlineHours: {
    env: 'SVC_JOB_DEADLINE_HOURS',
    yaml: 'worker.job_deadline_hours',
    schema: integer(1, 8760, 168),
    example: '24',
    description: 'Hours after submission at which an unfinished job fails',
  },
  workerMetricsPort: {
    env: 'SVC_WORKER_METRICS_PORT',
    yaml: 'worker.metrics_port',
    schema: integer(0, 65_535, 0),
    whenUnset: 'none',
    example: '9464',
    description:
      "Port on which a worker shows its own metrics at /metrics, besides the counts of all workers at the API's; 0: no port. The first worker of a machine takes it",
  },
  workerMetricsHost: {
    env: 'SVC_WORKER_METRICS_HOST',
    yaml: 'worker.metrics_host',
    schema: z.string().min(1).default('127.0.0.1'),
    example: '0.0.0.0',
    description: 'Address that the metrics of a worker listen on; they need no credential',
  },
  sweepPeriodMs: {
    env: 'SVC_SWEEP_PERIOD_MS',
    yaml: 'worker.sweep_period_ms',
    schema: integer(100, 600_000, 5000),
    example: '1000',
    description: 'Interval between searches for lost and expired work',
  },
} as const satisfies Record<string, SettingRow>;
export type WorkerSlice = SliceOf<typeof workerSettingRows>;
