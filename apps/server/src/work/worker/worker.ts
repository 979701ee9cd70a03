import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueName } from '@kindred/contracts';
import type { Broker, Consumer } from '../broker/broker.js';
import type { OperationCatalogue, OperationServices } from '../operation/operation.js';
import { Dispatcher } from './dispatcher.js';
import { handleBatch } from './batch-consumer.js';
import { Housekeeper } from './housekeeper.js';
import { FaultLog } from '../../telemetry/fault-log.js';
import { noMetrics, type WorkerMetrics } from '../../telemetry/worker-metrics.js';
import { forRequestOf } from '../../telemetry/request-id.js';
import { newOwner } from './owner.js';
import { isTracked, jobsAtOnce, queueKind } from './queues.js';
import type { Isolation } from './isolation.js';
import type { WorkerLog } from './log.js';
import type { WorkerRuntime } from './runtime.js';
import { defaultWorkerSettings, type WorkerSettings } from './settings.js';
import { TrackedConsumer } from './tracked-consumer.js';
import { WorkWatch } from './watch.js';
import { loggingFailure } from './failure.js';
import { handleWrite } from './write-consumer.js';

export interface WorkerOptions {
  broker: Broker;
  /** Operations get these services, the database among them. */
  services: OperationServices;
  queues: readonly QueueName[];
  /** So many jobs or batches are handled at once, per queue. */
  concurrency: number;
  log: WorkerLog;
  settings?: Partial<WorkerSettings>;
  metrics?: WorkerMetrics;
  catalogue: OperationCatalogue;
  /** Suspect work runs in a separate process in this way; if absent, it runs in this process. */
  isolate?: Isolation;
  /**
   * If true, the process does nothing else and is started again when it ends, so a worker that hangs ends it.
   */
  ownProcess?: boolean;
  /** GET /workers/status shows this role. */
  role?: string;
  version?: string;
}

export interface RunningWorker {
  /** The process has this name in leases, events and worker_process. */
  id: string;
  /**
   * Takes no more work, waits a while for running work, then requeues it. Stopping takes at most 30 s, and
   * never throws.
   */
  stop(): Promise<void>;
}

/** Consumes `queues` and runs the housekeeping: sweeper, reaper, expiry. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const settings = { ...defaultWorkerSettings, ...options.settings };
  const { broker, log, metrics = noMetrics } = options;
  const services = { ...options.services, cacheAsked: metrics.cacheAsked };
  const owner = newOwner();
  const faults = new FaultLog(log);
  const watch = new WorkWatch(services.db, owner, { ...settings, faults, ownProcess: options.ownProcess });
  const runtime: WorkerRuntime = {
    services,
    broker,
    catalogue: options.catalogue,
    settings,
    metrics,
    log,
    faults,
    owner,
    watch,
    dispatcher: new Dispatcher({ db: services.db, broker }, options.concurrency, faults),
    queues: options.queues,
    isolate: options.isolate ?? null,
  };
  const taking = await startConsumers(runtime, options);
  const housekeeper = new Housekeeper(runtime, {
    id: owner,
    role: options.role ?? 'worker',
    host: hostname(),
    pid: process.pid,
    queues: [...options.queues],
    version: options.version ?? '',
  });
  let stopped: Promise<void> | undefined;
  return {
    id: owner,
    stop() {
      stopped ??= stopWorker(runtime, taking, housekeeper);
      return stopped;
    },
  };
}

interface Taking {
  tracked: TrackedConsumer[];
  batches: Consumer[];
}

async function startConsumers(runtime: WorkerRuntime, options: WorkerOptions): Promise<Taking> {
  const taking: Taking = { tracked: [], batches: [] };
  for (const queue of options.queues) {
    if (isTracked(queue)) {
      const consumer = new TrackedConsumer(runtime, queue, jobsAtOnce(queue, options.concurrency));
      await consumer.start();
      taking.tracked.push(consumer);
      continue;
    }
    const handle = queueKind(queue) === 'write' ? handleWrite : handleBatch;
    taking.batches.push(
      await runtime.broker.consume(queue, options.concurrency, (delivery, signal) =>
        forRequestOf(delivery.headers, () =>
          loggingFailure(runtime, queue, handle(runtime, delivery, signal)),
        ),
      ),
    );
  }
  return taking;
}

async function stopWorker(runtime: WorkerRuntime, taking: Taking, housekeeper: Housekeeper): Promise<void> {
  const { settings, log, watch } = runtime;
  void housekeeper.drain();
  const over = new AbortController();
  const work = Promise.allSettled([
    ...taking.tracked.map(async (consumer) => {
      await consumer.stopTaking();
      await consumer.idle();
    }),
    ...taking.batches.map((consumer) => consumer.stop(settings.stopLimitMs)),
  ]).then(() => over.abort());
  await Promise.race([
    work,
    sleep(settings.stopFinishMs, undefined, { signal: over.signal }).catch(() => {}),
  ]);
  watch.abortAll('stopping');
  const left = Math.max(settings.stopLimitMs - settings.stopFinishMs, 0);
  await Promise.race([work, sleep(left, undefined, { signal: over.signal }).catch(() => {})]);
  if (!over.signal.aborted) log.warn({}, 'work did not end in time; its leases will expire');
  await Promise.all([housekeeper.stop(), watch.stop(), runtime.dispatcher.idle()]);
}
