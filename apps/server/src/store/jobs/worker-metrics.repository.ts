import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** A sample is one value of a Prometheus series. */
export interface MetricSample {
  metric: string;
  /** A sample has the name of its metric, or for a histogram `<metric>_bucket`, `_sum` or `_count`. */
  sample: string;
  labels: Record<string, string | number>;
  value: number;
}

/** The limit is far above operations x statuses x bounds, so only a fault makes so many. */
const sampleLimit = 20_000;

/**
 * Adds to the totals of all workers. Rows are locked in one order, so that two workers do not block each
 * other.
 */
export async function addToWorkerMetrics(db: Queryable, samples: readonly MetricSample[]): Promise<void> {
  await sql`
    insert into worker_metric (metric, sample, labels, value)
    select metric, sample, labels, value
    from jsonb_to_recordset(${JSON.stringify(samples)}::jsonb)
      as s (metric text, sample text, labels jsonb, value double precision)
    order by sample, labels
    on conflict (sample, labels) do update set value = worker_metric.value + excluded.value`.execute(db);
}

/** Reads the totals of all workers, in the order of the Prometheus text format: bounds of a bucket ascend. */
export async function workerMetrics(db: Queryable): Promise<MetricSample[]> {
  const { rows } = await sql<MetricSample>`
    select metric, sample, labels, value from worker_metric
    order by metric, labels - 'le', sample, (labels ->> 'le')::float8 limit ${sampleLimit}`.execute(db);
  return rows;
}
