import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError, type QueueName, queueNames } from '@kindred/contracts';
import {
  composeBroker,
  composeDatabase,
  composeHttp,
  composeServices,
  type Log,
  withDatabase,
} from '../compose.js';
import { sweepDrafts } from '../compute/drafts.js';
import { loadSettings } from '../env.js';
import { vectorFilesPrefix } from '../http/routes/embedding-configs/vectors.js';
import { buildApp } from '../http/app.js';
import { checkPluginSettings } from '../plugins/installed.js';
import { connectionFaultOf } from '../store/postgres/connection-fault.js';
import { closeDatabase, type Database } from '../store/postgres/db.js';
import { migrate, schemaFault } from '../store/migrations/migrate.js';
import { createLog } from '../telemetry/log.js';
import { createMetrics, type Metrics } from '../telemetry/metrics.js';
import { type MetricsServer, serveMetrics } from '../telemetry/metrics-server.js';
import { startTracing } from '../telemetry/tracing.js';
import type { WorkerSlice } from '../settings/worker.js';
import { productVersion } from '../version.js';
import { inOwnProcess } from '../worker/isolation.js';
import { startWorker } from '../worker/worker.js';
import { mainFile } from './isolated.js';

const httpGraceMs = 20_000;
/** A process that has not stopped by then never will; supervisors and process managers wait a little longer. */
const stopLimitMs = 30_000;
const databasePauseMs = 1000;

/** Runs only the API, until a signal. */
export async function runHttp(options: { port?: string }): Promise<void> {
  const settings = loadSettings(options.port === undefined ? {} : { SVC_PORT: options.port });
  await checkPluginSettings(settings.plugins);
  const log = createLog(settings.logLevel, 'http');
  for (const warning of settings.warnings) log.warn(warning);
  const tracing = await startTracing(settings, 'svc-api');
  const db = composeDatabase(settings);
  // The API also starts without its database: it then says why it is not ready.
  await refuseWrongSchema(db).catch((error: unknown) => {
    if (connectionFaultOf(error) === null) throw error;
    log.warn({ err: error }, 'the database cannot be reached; not ready until it can');
  });
  await sweepDrafts(tmpdir(), vectorFilesPrefix);
  const stopping = new AbortController();
  const deps = composeHttp(settings, db, log, stopping.signal);
  const app = await buildApp(deps);
  await app.listen({ host: settings.host, port: settings.port });
  const drainMs = settings.http.drainSeconds * 1000;
  untilSignal(log, drainMs + stopLimitMs, async () => {
    stopping.abort();
    await sleep(drainMs);
    await closeHttp(app);
    await deps.broker.close();
    await closeDatabase(db);
    await tracing.shutdown();
  });
}

/** @throws ProblemError if this program cannot work with the database's schema */
async function refuseWrongSchema(db: Database): Promise<void> {
  const fault = await schemaFault(db);
  if (fault !== null) throw new ProblemError('service_unavailable', fault);
}

/** A worker can do nothing without the database: it waits. */
async function untilSchemaFits(db: Database, log: Log): Promise<void> {
  for (let said = false; ; said = true) {
    try {
      return await refuseWrongSchema(db);
    } catch (error) {
      if (connectionFaultOf(error) === null) throw error;
      if (!said) log.warn({ err: error }, 'the database cannot be reached; waiting for it');
    }
    await sleep(databasePauseMs);
  }
}

/**
 * Finishes open requests and accepts no new ones. A keep-alive connection becomes idle only after its last response,
 * but Node closes idle connections only once, so this closes them repeatedly; a download that takes too long is
 * aborted.
 */
async function closeHttp(app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const closed = app.close();
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  const cut = setTimeout(() => app.server.closeAllConnections(), httpGraceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

/** Runs one worker process until a signal; gives back jobs that it cannot finish within 30 s. */
export async function runWorker(options: { queues?: string; concurrency?: string }): Promise<void> {
  const settings = loadSettings(
    options.concurrency === undefined ? {} : { SVC_WORKER_CONCURRENCY: options.concurrency },
  );
  await checkPluginSettings(settings.plugins);
  const log = createLog(settings.logLevel, 'worker');
  const tracing = await startTracing(settings, `svc-worker-${options.queues ?? 'all'}`);
  const queues = queuesOf(options.queues);
  const db = composeDatabase(settings);
  await untilSchemaFits(db, log);
  const swept = await sweepDrafts(join(settings.dataDir, 'banks'));
  if (swept.length > 0)
    log.info({ swept }, 'unfinished reference banks of processes that ended were deleted');
  const broker = composeBroker(settings, db, log);
  const services = composeServices(settings, db);
  const metrics = createMetrics(db);
  const scraped = await metricsServer(metrics, settings.worker, log);
  const worker = await startWorker({
    broker,
    services,
    queues,
    concurrency: settings.worker.workerConcurrency,
    log,
    settings: { ...settings.worker, retention: settings.retention },
    metrics: metrics.worker,
    version: productVersion,
    ownProcess: true,
    isolate: inOwnProcess(mainFile, ['isolated']),
  });
  log.info({ worker: worker.id }, 'worker ready');
  untilSignal(log, stopLimitMs, async () => {
    await worker.stop();
    await scraped?.close();
    await services.compute.close();
    await broker.close();
    await closeDatabase(db);
    await tracing.shutdown();
  });
}

/** A port that another worker has must not stop this one. */
async function metricsServer(
  metrics: Metrics,
  { workerMetricsPort: port, workerMetricsHost: host }: WorkerSlice,
  log: Log,
): Promise<MetricsServer | null> {
  if (port === 0) return null;
  try {
    return await serveMetrics(metrics, { host, port });
  } catch (error) {
    log.warn({ err: error, host, port }, 'the metrics of this worker are not shown: its port cannot be used');
    return null;
  }
}

function queuesOf(text: string | undefined): readonly QueueName[] {
  if (text === undefined) return queueNames;
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !(queueNames as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new ProblemError(
      'unknown_queue',
      `No such queue: ${unknown.join(', ')}. There are: ${queueNames.join(', ')}.`,
    );
  }
  return wanted as QueueName[];
}

export async function runMigrate(): Promise<void> {
  const report = await withDatabase(loadSettings(), (db) => migrate(db));
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/** Shuts the process down cleanly at SIGTERM, SIGINT, or when the supervisor is gone. */
function untilSignal(log: Log, limitMs: number, stop: () => Promise<void>): void {
  let asked = false;
  const end = (reason: string) => {
    if (asked) return;
    asked = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error({ limit_seconds: limitMs / 1000 }, 'did not stop in time; ending at once');
      process.exit(1);
    }, limitMs);
    stop().then(
      () => process.exit(0),
      (error: Error) => {
        log.error({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(signal));
  const orphaned = () => end('the supervisor ended');
  process.on('disconnect', orphaned);
  // The supervisor may have ended while this process was starting.
  if (process.connected === false) orphaned();
}
