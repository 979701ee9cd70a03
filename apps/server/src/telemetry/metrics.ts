import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { connectionsInUse, type Database } from '../store/postgres/db.js';
import { processMetrics, serviceMetrics, type Watched } from './service-metrics.js';
import { MetricsReport, textWithTotals } from './shared-metrics.js';
import type { WorkerMetrics } from './worker-metrics.js';

const jobSeconds = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];
const batchSeconds = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export interface Metrics {
  /** The registry has metrics that only this process knows. The HTTP app adds its own. */
  registry: Registry;
  worker: WorkerMetrics;
  contentType: string;
  /**
   * Gives the Prometheus text of the registry, and of the jobs and batches of all workers if the database can
   * be read.
   */
  text(): Promise<string>;
  /** Gives the text of what this process alone has counted, including jobs and batches. */
  ownText(): Promise<string>;
}

/**
 * Makes the metrics of the specification and of this process; with `watched`, also those of the whole
 * service.
 */
export function createMetrics(db: Database, watched?: Omit<Watched, 'db'>): Metrics {
  const registry = new Registry();
  const counted = new Registry();
  processMetrics(registry);
  if (watched) serviceMetrics(registry, { db, ...watched });
  const { jobs, duration, embeddings, predictions, losses, caches } = workerCounters([counted]);
  new Gauge({
    name: 'db_pool_in_use',
    help: 'Database connections in use by this process',
    registers: [registry],
    collect() {
      this.set(connectionsInUse(db));
    },
  });
  const totalsAreThere = new Gauge({
    name: 'worker_totals_up',
    help: '1: the counts of all workers are in this answer; 0: the database cannot be read, and they are left out',
    registers: [registry],
  });
  const report = new MetricsReport(db, counted);
  return {
    registry,
    contentType: registry.contentType,
    ownText: async () => `${await registry.metrics()}\n${await counted.metrics()}`,
    text: () => textWithTotals(registry, counted, db, totalsAreThere),
    worker: {
      report: () => report.send(),
      jobFinished(operation, status, seconds) {
        jobs.inc({ operation, status });
        if (seconds !== null) duration.observe({ operation, status }, seconds);
      },
      cacheAsked: (cache, kept) => caches.inc({ cache, outcome: kept ? 'kept' : 'loaded' }),
      leasesLost: (count) => losses.inc(count),
      batchFinished(operation, seconds) {
        if (operation === 'compute_embeddings_batch') embeddings.observe(seconds);
        if (operation === 'predict_go_terms_batch') predictions.observe(seconds);
      },
    },
  };
}

function workerCounters(registers: Registry[]) {
  const jobs = new Counter({
    name: 'jobs_total',
    help: 'Jobs that ended',
    labelNames: ['operation', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'job_duration_seconds',
    help: 'From start to end of a job',
    labelNames: ['operation', 'status'],
    buckets: jobSeconds,
    registers,
  });
  const embeddings = new Histogram({
    name: 'embeddings_batch_seconds',
    help: 'Computing one batch of vectors',
    buckets: batchSeconds,
    registers,
  });
  const predictions = new Histogram({
    name: 'predictions_batch_seconds',
    help: 'Predicting one batch of queries',
    buckets: batchSeconds,
    registers,
  });
  const losses = new Counter({
    name: 'job_leases_lost_total',
    help: 'Jobs whose worker vanished',
    registers,
  });
  const caches = new Counter({
    name: 'worker_cache_total',
    help: 'Batches whose bank or model was in memory (kept), or had to be loaded',
    labelNames: ['cache', 'outcome'],
    registers,
  });
  return { jobs, duration, embeddings, predictions, losses, caches };
}
