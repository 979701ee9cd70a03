import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { composeDatabase, composeHttp } from '../run/compose.js';
import { sweepDrafts } from '../ground/drafts.js';
import { loadSettings } from '../run/env.js';
import { answerSupervisor } from '../run/supervise/questions.js';
import { buildApp } from '../http/app.js';
import { vectorFilesPrefix } from '../http/routes/embedding-configs/vectors.js';
import { checkPluginSettings, unknownVariableWarnings } from '../ground/plugins/installed.js';
import { connectionFaultOf } from '../store/postgres/connection-fault.js';
import { closeDatabase } from '../store/postgres/db.js';
import { createLog } from '../telemetry/log.js';
import { startTracing } from '../telemetry/tracing.js';
import { keepHeapWithinBudget } from './heap-budget.js';
import { ProcessReport } from './process-report.js';
import { isSupervised, refuseWrongSchema, supervisedStop, untilSignal } from './role.js';

const httpGraceMs = isSupervised ? supervisedStop.finishMs : 20_000;

/** Runs only the API, until a signal. */
export async function runHttp(options: { port?: string }): Promise<void> {
  answerSupervisor();
  keepHeapWithinBudget();
  const settings = loadSettings(options.port === undefined ? {} : { SVC_PORT: options.port });
  await checkPluginSettings(settings.plugins);
  const log = createLog(settings.logLevel, 'http');
  for (const warning of [...settings.warnings, ...(await unknownVariableWarnings(settings.plugins))])
    log.warn(warning);
  const tracing = await startTracing(settings, 'svc-api');
  const db = composeDatabase(settings);
  // The API also starts without its database; it then says why it is not ready.
  await refuseWrongSchema(db).catch((error: unknown) => {
    if (connectionFaultOf(error) === null) throw error;
    log.warn({ err: error }, 'the database cannot be reached; not ready until it can');
  });
  await sweepDrafts(tmpdir(), vectorFilesPrefix);
  const stopping = new AbortController();
  const deps = composeHttp(settings, db, log, stopping.signal);
  const app = await buildApp(deps);
  await app.listen({ host: settings.host, port: settings.port });
  const report = new ProcessReport(db, log, 'http', settings);
  const drainMs = settings.http.drainSeconds * 1000;
  const stop = async () => {
    stopping.abort();
    await sleep(drainMs);
    await closeHttp(app);
    await report.stop();
    await deps.broker.close();
    deps.memory.close();
    await closeDatabase(db);
    await tracing.shutdown();
  };
  untilSignal(log, stop, drainMs);
}

/**
 * Finishes open requests and accepts no new ones. A keep-alive connection becomes idle only after its last
 * response, but Node closes idle connections only once, so this function closes them repeatedly. A download
 * that takes too long is aborted.
 */
async function closeHttp(app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const closed = app.close();
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  const cut = setTimeout(() => app.server.closeAllConnections(), httpGraceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
