import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Gauge, type Registry } from 'prom-client';
import {
  addToWorkerMetrics,
  type MetricSample,
  workerMetrics,
} from '../store/jobs/worker-metrics.repository.js';
import type { Database } from '../store/postgres/db.js';

/**
 * Adds the growth of a registry of counters and histograms to the totals in the database. With growth instead
 * of values, the totals need no rows of ended processes and never fall. When the connection breaks during a
 * commit, the same growth may count twice. A process that is killed loses what it counted since its last
 * report.
 */
export class MetricsReport {
  /** The totals contain these values, by sample and labels. */
  readonly #reported = new Map<string, number>();
  readonly #db: Database;
  readonly #registry: Registry;

  constructor(db: Database, registry: Registry) {
    this.#db = db;
    this.#registry = registry;
  }

  async send(): Promise<void> {
    const grown: MetricSample[] = [];
    const values = new Map<string, number>();
    for (const sample of await samplesOf(this.#registry)) {
      const key = `${sample.sample} ${JSON.stringify(sample.labels)}`;
      const before = this.#reported.get(key);
      if (before === sample.value) continue;
      values.set(key, sample.value);
      // A bucket without observations is sent once, too, because a histogram needs all its bounds.
      grown.push({ ...sample, value: sample.value - (before ?? 0) });
    }
    if (grown.length === 0) return;
    await addToWorkerMetrics(this.#db, grown);
    for (const [key, value] of values) this.#reported.set(key, value);
  }
}

async function samplesOf(registry: Registry): Promise<MetricSample[]> {
  return (await registry.getMetricsAsJSON()).flatMap(({ name, values }) =>
    values.map((value) => ({
      metric: name,
      sample: 'metricName' in value ? String(value.metricName) : name,
      labels: value.labels as MetricSample['labels'],
      value: value.value,
    })),
  );
}

/** The limit is short, because a scraper gives up after ten seconds by default. */
const patienceMs = 3000;

/**
 * Gives the Prometheus text of this process's own metrics, with the totals of all workers for the metrics
 * that `worker` defines. Without the database the totals are left out, because a counter that starts again
 * would look like a restart.
 * @param totalsAreThere gets 1 or 0 before the text is made
 */
export async function textWithTotals(
  own: Registry,
  worker: Registry,
  db: Database,
  totalsAreThere: Gauge,
): Promise<string> {
  const totals = await Promise.race([workerMetrics(db), sleep(patienceMs, null, { ref: false })]).catch(
    () => null,
  );
  totalsAreThere.set(totals === null ? 0 : 1);
  if (totals === null) return own.metrics();
  const shared = (await worker.getMetricsAsJSON()).map((metric) => {
    const stored = totals.filter(({ metric: name }) => name === metric.name);
    if (stored.length === 0) return metric;
    return {
      ...metric,
      values: stored.map(({ sample, labels, value }) => ({
        // Labels are sorted, because jsonb keeps no order of keys and a series should always be spelled the same.
        labels: Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))),
        value,
        ...(sample === metric.name ? {} : { metricName: sample }),
      })),
    };
  });
  return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), shared]).metrics();
}
