import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterQueue, queueNames } from '@kindred/contracts';
import { workerStates } from '@kindred/contracts/resources/workers';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { diskSpace } from '../ground/disk-space.js';
import { serviceState } from '../store/jobs/service-state.repository.js';
import { countUnsettled, countWorkerStates } from '../store/jobs/worker-processes.repository.js';
import type { Database } from '../store/postgres/db.js';

export interface Watched {
  db: Database;
  /** Counts the messages ready for delivery. */
  depth: (queue: (typeof queueNames)[number] | typeof deadLetterQueue) => Promise<number>;
  /** The disk of this folder is watched. */
  dataDir: string;
}

/** The limit is short, because a scraper gives up after ten seconds by default. */
const patienceMs = 3000;

/** Collects memory, processor, event loop and garbage of this process. */
export function processMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

/**
 * Reads the state of the whole service at each request, so every API process shows the same. Values that
 * cannot be read within three seconds are left out.
 */
export function serviceMetrics(registry: Registry, { db, depth, dataDir }: Watched): void {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const jobs = gauge('jobs_open', 'Jobs that are due or running', ['queue', 'status']);
  const oldest = gauge('jobs_oldest_seconds', 'Age of the oldest of them', ['queue', 'status']);
  const batches = gauge('batches_open', 'Batches that wait for a place, or are with the broker', [
    'queue',
    'state',
  ]);
  const workers = gauge('workers', 'Worker processes', ['state']);
  const size = gauge('database_size_bytes', 'Size of the database');
  const unsettled = gauge(
    'queue_messages_unacknowledged',
    'Messages that workers hold and have not acknowledged, as they last reported',
    ['queue'],
  );
  watch([jobs, oldest, batches, workers, unsettled, size], async () => {
    const state = await serviceState(db);
    for (const queue of queueNames) jobs.set({ queue, status: 'QUEUED' }, 0);
    for (const queue of queueNames) oldest.set({ queue, status: 'QUEUED' }, 0);
    for (const { queue, status, count, oldest_seconds } of state.jobs) {
      jobs.set({ queue, status }, count);
      oldest.set({ queue, status }, oldest_seconds);
    }
    for (const { queue, state: name, count } of state.batches) batches.set({ queue, state: name }, count);
    for (const name of workerStates) workers.set({ state: name }, 0);
    for (const { state: name, count } of await countWorkerStates(db)) workers.set({ state: name }, count);
    for (const queue of queueNames) unsettled.set({ queue }, 0);
    for (const { queue, count } of await countUnsettled(db)) unsettled.set({ queue }, count);
    size.set(state.database_bytes);
  });
  const ready = gauge('queue_messages_ready', 'Messages that wait for a worker', ['queue']);
  const dead = gauge('queue_dead_letters', 'Messages that no worker could handle');
  watch([ready, dead], async () => {
    await Promise.all(queueNames.map(async (queue) => ready.set({ queue }, await depth(queue))));
    dead.set(await depth(deadLetterQueue));
  });
  const free = gauge('data_disk_free_bytes', 'Free space where the data folder is');
  const whole = gauge('data_disk_size_bytes', 'Size of that disk');
  watch([free, whole], async () => {
    const { freeBytes, sizeBytes } = await diskSpace(dataDir);
    free.set(freeBytes);
    whole.set(sizeBytes);
  });
}

/** The first gauge of a scrape starts the look, and the others wait for the same look. */
function watch(gauges: Gauge[], look: () => Promise<void>): void {
  let current: Promise<void> | null = null;
  const collect = (): Promise<void> => {
    current ??= fill(gauges, look).finally(() => {
      current = null;
    });
    return current;
  };
  for (const gauge of gauges) (gauge as unknown as { collect: () => Promise<void> }).collect = collect;
}

async function fill(gauges: Gauge[], look: () => Promise<void>): Promise<void> {
  const forget = (gauge: Gauge) => {
    gauge.reset();
    // Only gauges with labels are reset, because one without would show 0.
    if ((gauge as unknown as { labelNames: string[] }).labelNames.length === 0) gauge.remove();
  };
  gauges.forEach(forget);
  const late = sleep(patienceMs, 'late' as const, { ref: false });
  const end = await Promise.race([look().catch(() => 'failed' as const), late]);
  if (end !== undefined) gauges.forEach(forget);
}
