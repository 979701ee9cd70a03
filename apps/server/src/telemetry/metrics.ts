import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { connectionsInUse, type Database } from '../store/postgres/db.js';
import type { WorkerMetrics } from './worker-metrics.js';

const jobSeconds = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];
const batchSeconds = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export interface Metrics {
  registry: Registry;
  worker: WorkerMetrics;
}

/** The metrics of the specification, in a separate registry. The HTTP app adds its own. */
export function createMetrics(db: Database): Metrics {
  const registry = new Registry();
  const registers = [registry];
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
  new Gauge({
    name: 'db_pool_in_use',
    help: 'Database connections in use by this process',
    registers,
    collect() {
      this.set(connectionsInUse(db));
    },
  });
  return {
    registry,
    worker: {
      jobFinished(operation, status, seconds) {
        jobs.inc({ operation, status });
        if (seconds !== null) duration.observe({ operation, status }, seconds);
      },
      batchFinished(operation, seconds) {
        if (operation === 'compute_embeddings_batch') embeddings.observe(seconds);
        if (operation === 'predict_go_terms_batch') predictions.observe(seconds);
      },
    },
  };
}
