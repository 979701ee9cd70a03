import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { rabbitMqWanted, startPrivateRabbitMq } from '@kindred/testkit';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../ground/memory.js';
import type { Broker } from '../work/broker/broker.js';
import { createEmbeddedBroker } from '../work/broker/embedded.js';
import { createRabbitBroker } from '../work/broker/rabbitmq.js';
import { enqueueJob, type JobRequest, submitJob } from '../work/jobs/submit.js';
import { operationCatalogue } from '../run/catalogue.js';
import { createPluginRegistry } from '../ground/plugins/discover.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../store/postgres/connection.js';
import { createLog } from '../telemetry/log.js';
import { removeWorkerProcess, reportWorkerProcess } from '../store/jobs/worker-processes.repository.js';
import { createMetrics } from '../telemetry/metrics.js';
import { installPropagation, removePropagation } from '../telemetry/propagation.js';
import { inRequest } from '../telemetry/request-id.js';
import { contextOf } from '../telemetry/tracing.js';
import { inlineCompute } from '../testing/inline-compute.js';
import { fillCatalogue } from '../testing/tiny-catalogue.js';
import { quickSettings, testServices, until, untilStatus } from '../testing/worker/harness.js';
import { insertKmerConfig } from '../testing/worker/worker-processes.js';
import { type RunningWorker, startWorker } from '../work/worker/worker.js';
import { buildApp } from './app.js';
import { startTestApp, type TestApp } from '../testing/test-app.js';

/** An API and two workers share only the database, as three processes do. */
let test: TestApp;
let app: FastifyInstance;
let folder: string;
let annotateQuery: string;
const spans = new InMemorySpanExporter();
const databases: Database[] = [];
const brokers: Broker[] = [];
const workers: RunningWorker[] = [];
const workerLines: string[] = [];
let brokerOf = (db: Database): Broker => createEmbeddedBroker(db, { pollMs: 100 });

beforeAll(async () => {
  installPropagation();
  trace.setGlobalTracerProvider(new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
  test = await startTestApp();
  folder = await mkdtemp(join(tmpdir(), 'kindred-telemetry-'));
  const { setId } = await fillCatalogue(test.db);
  const { id: configId } = await insertKmerConfig(test.db);
  annotateQuery = `auto_predict=true&method=knn&annotation_set_id=${setId}&embedding_config_id=${configId}`;
  await startApi();
  await startOneWorker();
  await startOneWorker();
  const payload = { embedding_config_id: configId };
  const request = { operation: 'compute_embeddings', queueName: 'svc.embeddings', payload };
  const { id } = await submitJob({ db: test.db, broker: brokers[0] }, request);
  await untilStatus(test.db, id, 'SUCCEEDED');
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await app?.close();
  for (const broker of brokers) await broker.close();
  for (const db of databases) await closeDatabase(db);
  await test?.close();
  await rm(folder, { recursive: true, force: true });
  removePropagation();
  trace.disable();
});

function ownConnections(): { db: Database; broker: Broker } {
  const db = openDatabase(test.url, 6);
  const broker = brokerOf(db);
  databases.push(db);
  brokers.push(broker);
  return { db, broker };
}

async function startApi(): Promise<void> {
  const { db, broker } = ownConnections();
  const { artifacts, compute, settings } = test;
  app = await buildApp({
    db,
    broker,
    plugins: createPluginRegistry(),
    artifacts,
    compute,
    memory: new Memory(),
    checkAddress: async () => {},
    checkWebhookAddress: () => {},
    settings,
    log: null,
    metrics: createMetrics(db, { depth: (queue) => broker.depth(queue), dataDir: folder }),
    mail: null,
  });
}

async function startOneWorker(): Promise<RunningWorker> {
  const { db, broker } = ownConnections();
  const worker = await startWorker({
    services: {
      ...testServices(db),
      compute: inlineCompute(),
      plugins: createPluginRegistry(),
      settings: { ...testServices(db).settings, cacheDir: folder },
    },
    broker,
    catalogue: operationCatalogue,
    queues: [
      'svc.ping',
      'svc.embeddings',
      'svc.embeddings.batch',
      'svc.embeddings.write',
      'svc.predictions',
      'svc.predictions.batch',
      'svc.predictions.write',
    ],
    concurrency: 1,
    settings: quickSettings,
    log: createLog('info', 'worker', { write: (line) => workerLines.push(line) }),
    metrics: createMetrics(db).worker,
  });
  workers.push(worker);
  return worker;
}

/** Annotates one query, which needs a vector if it is new; resolves when its prediction has SUCCEEDED. */
async function annotate(sequence: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await app.inject({
    method: 'POST',
    url: `/v1/annotate?${annotateQuery}`,
    payload: { fasta_text: `>query\n${sequence}\n` },
    headers: { ...headers, ...(await test.account('researcher')).headers },
  });
  expect(response.statusCode).toBe(202);
  await untilStatus(test.db, response.json().predict_job_id, 'SUCCEEDED');
}

/** Reads the values of a scrape by series, e.g. `jobs_total{operation="ping",status="SUCCEEDED"}`. */
async function scrape(api = app): Promise<Map<string, number>> {
  const { body, statusCode } = await api.inject({ url: '/metrics' });
  expect(statusCode).toBe(200);
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

it('shows all eight collectors of the specification after one annotate, at any API process', async () => {
  await annotate('MKTAYIAKQRQISFVK');
  const done = (operation: string) => `{operation="${operation}",status="SUCCEEDED"}`;
  await until(async () => {
    const values = await scrape();
    return (
      values.get(`jobs_total${done('compute_embeddings')}`) === 2 &&
      values.get(`jobs_total${done('predict_go_terms')}`) === 1 &&
      values.get('embeddings_batch_seconds_count') === 2 &&
      values.get('predictions_batch_seconds_count') === 1
    );
  });
  const values = await scrape();
  expect(values.get(`job_duration_seconds_count${done('predict_go_terms')}`)).toBe(1);
  expect(values.get(`job_duration_seconds_sum${done('predict_go_terms')}`)).toBeGreaterThan(0);
  expect(values.get('embeddings_batch_seconds_sum')).toBeGreaterThan(0);
  expect(values.get('predictions_batch_seconds_sum')).toBeGreaterThan(0);
  expect(values.get('db_pool_in_use')).toBeGreaterThanOrEqual(0);
  const annotated = 'method="POST",route="/v1/annotate"';
  expect(values.get(`http_requests_total{${annotated},status="202"}`)).toBe(1);
  expect(values.get(`http_request_duration_seconds_count{${annotated}}`)).toBe(1);
  expect(values.get('http_requests_in_flight')).toBe(1);
  expect((await scrape(test.app)).get(`jobs_total${done('predict_go_terms')}`)).toBe(1);
});

it('keeps the bounds of a histogram in ascending order, each count at least the one before', async () => {
  const values = await scrape();
  const bounds = [...values].filter(([series]) =>
    /^job_duration_seconds_bucket.*predict_go_terms/.test(series),
  );
  const limits = bounds.map(([series]) =>
    Number(/le="([^"]+)"/.exec(series)?.[1].replace('+Inf', 'Infinity')),
  );
  expect(limits).toEqual([0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, Number.POSITIVE_INFINITY]);
  const counts = bounds.map(([, count]) => count);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(counts.at(-1)).toBe(1);
});

it('counts banks and models that were in memory, and those that were loaded', async () => {
  const of = (cache: string, outcome: string) => `worker_cache_total{cache="${cache}",outcome="${outcome}"}`;
  // The workers of this test share one process, and the values that it keeps.
  expect((await scrape()).get(of('model', 'loaded'))).toBe(1);
  const before = (await scrape()).get(of('bank', 'kept')) ?? 0;
  await annotate('MKTAYIAKQRQISFVKSH');
  await until(async () => (await scrape()).get(of('bank', 'kept')) === before + 1);
  expect((await scrape()).get(of('model', 'kept'))).toBeGreaterThan(0);
});

it('keeps what a worker counted when it ends, and adds what the next one counts', async () => {
  const ping = 'jobs_total{operation="ping",status="SUCCEEDED"}';
  const broker = brokers[0];
  const runPing = async () => {
    const request = { operation: 'ping', queueName: 'svc.ping', payload: {} };
    const { id } = await submitJob({ db: test.db, broker }, request);
    await untilStatus(test.db, id, 'SUCCEEDED');
  };
  await runPing();
  for (const worker of workers.splice(0)) await worker.stop();
  const before = await scrape();
  expect(before.get(ping)).toBe(1);
  await startOneWorker();
  await runPing();
  await until(async () => (await scrape()).get(ping) === 2);
  const after = await scrape();
  for (const [series, value] of before) {
    if (/^(jobs|job_|embeddings|predictions)/.test(series)) {
      expect(after.get(series), series).toBeGreaterThanOrEqual(value);
    }
  }
});

const parentSpan = 'b7ad6b7169203331';
const spansIn = (traceId: string) =>
  spans.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
const namesIn = (traceId: string) => spansIn(traceId).map((span) => span.name);

async function requireOneTrace(traceId: string, sequence: string): Promise<void> {
  await annotate(sequence, { traceparent: `00-${traceId}-${parentSpan}-01`, 'x-request-id': traceId });
  const names = [
    'POST /v1/annotate',
    'compute_embeddings_batch',
    'job compute_embeddings',
    'job predict_go_terms',
    'predict_go_terms_batch',
    'store_embeddings',
    'store_predictions',
  ];
  // The span of a coordinator may end after the last write.
  await until(() => names.every((name) => namesIn(traceId).includes(name)));
  expect(namesIn(traceId).sort()).toEqual(names);
  const requests = spansIn(traceId).map((span) => span.attributes['kindred.request_id']);
  expect(requests).toEqual(names.map(() => traceId));
}

it('has one trace, and the id of the request in it, from the request of an annotation to its last write', () =>
  requireOneTrace('0af7651916cd43dd8448eb211c80319c', 'MKTAYIAKQRQISFVKSHFSRQ'));

it('has the id of the request in its job, which can be found by it', async () => {
  const { headers } = await test.account('operator');
  const response = await app.inject({
    method: 'POST',
    url: '/v1/jobs',
    payload: { operation: 'ping', queue_name: 'svc.ping', payload: {} },
    headers: { 'x-request-id': 'walnut-1', ...headers },
  });
  const job = response.json();
  expect(job).toMatchObject({ request_id: 'walnut-1' });
  const listed = async (requestId: string) =>
    (await app.inject({ url: `/v1/jobs?request_id=${requestId}`, headers }))
      .json()
      .map(({ id }: { id: string }) => id);
  expect(await listed('walnut-1')).toEqual([job.id]);
  expect(await listed('walnut-2')).toEqual([]);
});

it.each([
  [
    'that the request publishes',
    (request: JobRequest) => submitJob({ db: test.db, broker: brokers[0] }, request),
  ],
  // The job is committed, and the process ends before it publishes.
  [
    'that the sweeper publishes',
    (request: JobRequest) => inTransaction(test.db, (trx) => enqueueJob(trx, request)),
  ],
])('has the id of the request in the lines of the worker that runs a job %s', async (_how, submit) => {
  const payload = { embedding_config_id: '00000000-0000-4000-8000-000000000001' };
  const request = { operation: 'compute_embeddings', queueName: 'svc.embeddings', payload };
  const { id } = await context.with(inRequest(context.active(), 'walnut-3'), () => submit(request));
  await untilStatus(test.db, id, 'FAILED');
  const lines = workerLines.map((line) => JSON.parse(line)).filter((line) => line.job_id === id);
  expect(lines).toMatchObject([{ message: 'a job failed', request_id: 'walnut-3' }]);
});

it('keeps a job that the sweeper publishes in the trace that created it', async () => {
  const traceId = 'c'.repeat(32);
  await context.with(contextOf({ traceparent: `00-${traceId}-${parentSpan}-01` }), () =>
    // The job is committed, and the process ends before it publishes.
    inTransaction(test.db, (trx) =>
      enqueueJob(trx, { operation: 'ping', queueName: 'svc.ping', payload: {} }),
    ),
  );
  await until(() => namesIn(traceId).includes('job ping'));
});

it('marks the span of a failed job as an error, and no other', async () => {
  const payload = { embedding_config_id: '00000000-0000-4000-8000-000000000001' };
  const request = { operation: 'compute_embeddings', queueName: 'svc.embeddings', payload };
  const { id } = await submitJob({ db: test.db, broker: brokers[0] }, request);
  await untilStatus(test.db, id, 'FAILED');
  const spanOf = () => spans.getFinishedSpans().find((span) => span.attributes['kindred.job_id'] === id);
  await until(() => spanOf() !== undefined);
  expect(spanOf()?.status.code).toBe(SpanStatusCode.ERROR);
  expect(spanOf()?.events).toMatchObject([{ name: 'exception' }]);
  const failed = spans.getFinishedSpans().filter((span) => span.status.code === SpanStatusCode.ERROR);
  expect(failed.filter((span) => !span.attributes['kindred.request_id'])).toEqual([spanOf()]);
});

describe('the state of the service', () => {
  const value = (series: Map<string, number>, name: string) => series.get(name) ?? Number.NaN;

  it('says what waits, who works, and how large it is', async () => {
    const series = await scrape();
    expect(value(series, 'jobs_open{queue="svc.embeddings",status="QUEUED"}')).toBe(0);
    expect(value(series, 'queue_messages_ready{queue="svc.ping"}')).toBe(0);
    expect(value(series, 'queue_messages_unacknowledged{queue="svc.ping"}')).toBe(0);
    expect(value(series, 'queue_dead_letters')).toBe(0);
    const alive = value(series, 'workers{state="idle"}') + value(series, 'workers{state="busy"}');
    expect(alive).toBeGreaterThan(0);
    for (const name of ['database_size_bytes', 'data_disk_free_bytes', 'process_resident_memory_bytes'])
      expect(value(series, name), name).toBeGreaterThan(1e6);
    // No worker takes from this queue, and jobs that wait for another are not late.
    const { db } = test;
    const row = { operation: 'ping', queue_name: 'svc.training', payload: '{}' };
    const [late] = await db
      .insertInto('job')
      .values({ ...row, created_at: new Date(Date.now() - 3_600_000).toISOString() })
      .returning('id')
      .execute();
    await db
      .insertInto('job')
      .values({ ...row, waits_for_job_id: late.id })
      .execute();
    const after = await scrape();
    expect(value(after, 'jobs_open{queue="svc.training",status="QUEUED"}')).toBe(1);
    expect(value(after, 'jobs_oldest_seconds{queue="svc.training",status="QUEUED"}')).toBeGreaterThan(3500);
    await db.deleteFrom('job').where('queue_name', '=', 'svc.training').execute();
    const worker = { role: 'worker', host: 'h', pid: 1, queues: ['svc.training'], version: '' };
    const held = 'queue_messages_unacknowledged{queue="svc.training"}';
    for (const id of ['a', 'b'])
      await reportWorkerProcess(db, { ...worker, id, unsettled: { 'svc.training': 3 } });
    expect(value(await scrape(), held)).toBe(6);
    await reportWorkerProcess(db, { ...worker, id: 'a', unsettled: {} });
    await db
      .updateTable('worker_process')
      .set({ last_seen_at: '2026-01-01T00:00:00Z' })
      .where('id', '=', 'b')
      .execute();
    expect(value(await scrape(), held)).toBe(0);
    for (const id of ['a', 'b']) await removeWorkerProcess(db, id);
  });

  it('has every metric that the alerts and the dashboard of ops/ name', async () => {
    await app.inject({ url: '/v1/proteins' });
    const ops = new URL('../../../../ops/', import.meta.url);
    const rules = readFileSync(new URL('prometheus/rules.yml', ops), 'utf8');
    const dashboard = JSON.parse(readFileSync(new URL('grafana/dashboard.json', ops), 'utf8'));
    const expressions: string[] = [
      ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expression]) => expression),
      ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
        targets.map(({ expr }) => expr),
      ),
    ];
    const { body } = await app.inject({ url: '/metrics' });
    const defined = new Set([...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const named = new Set(expressions.flatMap(metricsIn));
    expect(named.size).toBeGreaterThan(15);
    // Prometheus makes this metric itself.
    named.delete('up');
    expect([...named].filter((name) => !defined.has(name))).toEqual([]);
  });
});

it.runIf(rabbitMqWanted())('has one trace over RabbitMQ too', async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await app.close();
  const rabbit = await startPrivateRabbitMq();
  try {
    brokerOf = () => createRabbitBroker(rabbit.url);
    await startApi();
    await startOneWorker();
    await requireOneTrace('1bf7651916cd43dd8448eb211c80319c', 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ');
    for (const worker of workers.splice(0)) await worker.stop();
    for (const broker of brokers.splice(-2)) await broker.close();
  } finally {
    await rabbit.remove();
  }
});

/** Finds the metrics that an expression names, without functions, labels, keywords and numbers. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b[a-z_0-9]+\s*\(/g, ' ');
  const words = bare.match(/\b[a-z][a-z_0-9]*\b/g) ?? [];
  return words
    .filter((word) => !['and', 'or', 'unless', 'sum', 'max', 'min'].includes(word))
    .map((word) => word.replace(/_bucket$/, ''));
}
