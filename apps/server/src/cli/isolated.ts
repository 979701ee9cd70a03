import { once } from 'node:events';
import { composeBroker, composeDatabase, composeServices } from '../run/compose.js';
import { loadSettings } from '../run/env.js';
import { operationCatalogue } from '../run/catalogue.js';
import { createLog } from '../telemetry/log.js';
import { FaultLog } from '../telemetry/fault-log.js';
import { createMetrics } from '../telemetry/metrics.js';
import { startTracing } from '../telemetry/tracing.js';
import { Dispatcher } from '../work/worker/dispatcher.js';
import { runSuspect } from '../work/worker/isolated-work.js';
import type { SuspectWork } from '../work/worker/isolation.js';
import { defaultWorkerSettings } from '../work/worker/settings.js';
import { WorkWatch } from '../work/worker/watch.js';

/**
 * Runs suspect work in the process that a worker starts for it. The work comes as the first message. The
 * process ends with its result, or with its parent.
 */
export async function runIsolated(): Promise<void> {
  // The parent has ended, so nobody waits for the result, and the work begins again elsewhere.
  process.on('disconnect', () => process.exit(1));
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  const settings = loadSettings();
  const log = createLog(settings.logLevel, 'isolated');
  const [work] = (await once(process, 'message')) as [SuspectWork];
  const tracing = await startTracing(settings, 'svc-isolated');
  const db = composeDatabase(settings);
  const broker = composeBroker(settings, db, log);
  const owner = work.kind === 'job' ? work.claim.owner : work.owner;
  const faults = new FaultLog(log);
  const workerSettings = { ...defaultWorkerSettings, ...settings.worker };
  const metrics = createMetrics(db).worker;
  const services = { ...composeServices(settings, db), cacheAsked: metrics.cacheAsked };
  const watch = new WorkWatch(db, owner, { ...workerSettings, faults, ownProcess: true });
  const result = await runSuspect(
    {
      services,
      broker,
      catalogue: operationCatalogue,
      settings: workerSettings,
      metrics,
      log,
      faults,
      owner,
      watch,
      dispatcher: new Dispatcher({ db, broker }, settings.workerConcurrency, faults),
      queues: [],
      isolate: null,
    },
    work,
    stop.signal,
  );
  await metrics.report().catch(() => {});
  await tracing.shutdown();
  // The process can end at once, because nothing else runs in it.
  process.send?.(result, () => process.exit(0));
}
