import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError, type QueueName, queueNames } from '@kindred/contracts';
import { pauseMs, retryPolicy } from '../ground/retry-policy.js';
import { composeBroker, composeDatabase, composePoster, composeServices, type Log } from '../run/compose.js';
import { sweepDrafts } from '../ground/drafts.js';
import { loadSettings } from '../run/env.js';
import { answerSupervisor } from '../run/supervise/questions.js';
import { programFile } from '../ground/folders.js';
import { operationCatalogue } from '../run/catalogue.js';
import { checkPluginSettings, unknownVariableWarnings } from '../ground/plugins/installed.js';
import type { WorkerSlice } from '../ground/settings/worker.js';
import { connectionFaultOf } from '../store/postgres/connection-fault.js';
import { closeDatabase, type Database } from '../store/postgres/db.js';
import { createLog } from '../telemetry/log.js';
import { FaultLog } from '../telemetry/fault-log.js';
import { createMetrics, type Metrics } from '../telemetry/metrics.js';
import { type MetricsServer, serveMetrics } from '../telemetry/metrics-server.js';
import { startTracing } from '../telemetry/tracing.js';
import { productVersion } from '../ground/version.js';
import { WebhookSender } from '../work/webhooks/sender.js';
import { inOwnProcess } from '../work/worker/isolation.js';
import { wordsFolder } from '../predict/banks/kept-words.js';
import { startWorker } from '../work/worker/worker.js';
import { ProcessReport } from './process-report.js';
import { isSupervised, refuseWrongSchema, supervisedStop, untilSignal } from './role.js';

const stopLimits = isSupervised
  ? { stopFinishMs: supervisedStop.finishMs, stopLimitMs: supervisedStop.giveBackMs }
  : {};

/** Runs one worker process until a signal; gives back jobs that it cannot finish in time. */
export async function runWorker(options: { queues?: string; concurrency?: string }): Promise<void> {
  answerSupervisor();
  const settings = loadSettings(
    options.concurrency === undefined ? {} : { SVC_WORKER_CONCURRENCY: options.concurrency },
  );
  await checkPluginSettings(settings.plugins);
  const log = createLog(settings.logLevel, 'worker');
  for (const warning of await unknownVariableWarnings(settings.plugins)) log.warn(warning);
  const tracing = await startTracing(settings, `svc-worker-${options.queues ?? 'all'}`);
  const queues = queuesOf(options.queues);
  const db = composeDatabase(settings);
  await untilSchemaFits(db, log);
  const swept = [
    ...(await sweepDrafts(join(settings.dataDir, 'banks'))),
    ...(await sweepDrafts(join(settings.dataDir, wordsFolder))),
  ];
  if (swept.length > 0)
    log.info({ swept }, 'unfinished reference banks of processes that ended were deleted');
  const broker = composeBroker(settings, db, log);
  const services = composeServices(settings, db);
  const metrics = createMetrics(db);
  const scraped = await metricsServer(metrics, settings.worker, log);
  const worker = await startWorker({
    broker,
    services,
    catalogue: operationCatalogue,
    queues,
    concurrency: settings.worker.workerConcurrency,
    log,
    settings: { ...settings.worker, ...stopLimits, retention: settings.retention },
    metrics: metrics.worker,
    version: productVersion,
    ownProcess: true,
    isolate: inOwnProcess(programFile, ['isolated']),
  });
  const faults = new FaultLog(log);
  const webhooks = new WebhookSender({
    db,
    poster: composePoster(settings),
    serverSecret: settings.accounts.jwtSecret,
    periodMs: settings.worker.sweepPeriodMs,
    onFault: (error) => faults.failed('webhooks could not be sent; they stay in the outbox', error),
  });
  const report = new ProcessReport(db, log, 'worker', settings);
  log.info({ worker: worker.id }, 'worker ready');
  untilSignal(log, async () => {
    await Promise.all([worker.stop(), webhooks.stop(), report.stop()]);
    await scraped?.close();
    await services.compute.close();
    services.memory.close();
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

/** A worker can do nothing without the database, so it waits. */
async function untilSchemaFits(db: Database, log: Log): Promise<void> {
  for (let n = 0; ; n++) {
    try {
      return await refuseWrongSchema(db);
    } catch (error) {
      if (connectionFaultOf(error) === null) throw error;
      if (n === 0) log.warn({ err: error }, 'the database cannot be reached; waiting for it');
    }
    await sleep(pauseMs(retryPolicy.workerStart.pause, n));
  }
}
