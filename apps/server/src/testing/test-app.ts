import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AccountRole,
  type EmbeddingBackend,
  ProblemError,
  type RateName,
  rateNames,
} from '@kindred/contracts';
import { refusalsOf } from '@kindred/contracts/route';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { z } from 'zod';
import { addUser } from '../accounts/admin.js';
import { mintApiKey } from '../accounts/api-keys.js';
import { anonymous } from '../accounts/principal.js';
import { defaultQuotas } from '../accounts/settings.js';
import { Memory } from '../ground/memory.js';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import type { ComputePool } from '../ground/pool/pool.js';
import { inlineCompute } from './inline-compute.js';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import type { Broker, BrokerQueue } from '../work/broker/broker.js';
import type { PluginRegistry } from '../ground/plugins/registry.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import type { UserRow } from '../store/accounts/users.repository.js';
import { testDatabase } from './test-database.js';
import { buildApp } from '../http/app.js';
import type { HttpDeps, HttpSettings } from '../http/deps.js';
import { networkFolder } from '../ground/folders.js';
import { httpSettingRows } from '../ground/settings/http.js';
import { defaultsOf } from '../ground/settings/setting-row.js';
import { routeOf } from '../http/plugins/not-found.js';
import { defaultBenchmarkSettings } from '../http/benchmark/settings.js';
import { createMetrics } from '../telemetry/metrics.js';

export const testSettings: HttpSettings = {
  ...defaultsOf(httpSettingRows),
  version: '0.0.0-test',
  authnRequired: true,
  jwtSecret: 'a secret of at least thirty-two bytes, for tests',
  passwordMinLength: 8,
  rateLimits: Object.fromEntries(rateNames.map((name) => [name, '10000/minute'])) as Record<RateName, string>,
  quotas: defaultQuotas,
  maxUploadBytes: 1 << 20,
  maxSequences: 1000,
  maxResidues: 5000,
  benchmark: defaultBenchmarkSettings,
  unreferencedArtifactDays: 30,
  allowedOrigins: ['http://localhost'],
  basePath: '',
  cacheDir: '',
  webRoot: null,
  networkFolder,
};

/** Remembers what was published; delivers nothing. */
export class RecordingBroker implements Broker {
  readonly kind = 'embedded';
  readonly published: { queue: BrokerQueue; body: unknown }[] = [];
  reachable = true;

  async publish(queue: BrokerQueue, messages: readonly { body: Uint8Array }[]): Promise<void> {
    for (const { body } of messages)
      this.published.push({ queue, body: JSON.parse(Buffer.from(body).toString()) });
  }
  async consume(): Promise<never> {
    throw new Error('the HTTP service consumes nothing');
  }
  async depth(queue: BrokerQueue): Promise<number> {
    return this.published.filter((message) => message.queue === queue).length;
  }
  unsettled() {
    return {};
  }
  async deadLetters() {
    const body = Buffer.from(JSON.stringify({ job_id: '00000000-0000-4000-8000-000000000001' }));
    return [
      {
        id: '1',
        fromQueue: 'svc.ping',
        body,
        headers: { traceparent: '00' },
        diedAt: '2026-01-01T00:00:00.000000Z',
      },
    ];
  }
  async replayDeadLetters(limit: number): Promise<number> {
    return Math.min(1, limit);
  }
  async purgeDeadLetters(): Promise<number> {
    return 1;
  }
  async check(): Promise<void> {
    if (!this.reachable) throw new ProblemError('service_unavailable', 'broker down');
  }
  async close(): Promise<void> {}
}

const backend: EmbeddingBackend = {
  models: async () => [{ model_name: 'tiny', dimension: 4, description: 'four numbers' }],
  open: async (recipe) => {
    if (recipe.model_name !== 'tiny')
      throw new ProblemError('unknown_model', `No model ${recipe.model_name}; there is tiny.`);
    return { dimension: 4, embed: async () => Promise.reject(new Error('not here')), close: async () => {} };
  },
};

const plugins: PluginRegistry = {
  backends: async () => [
    {
      state: 'available',
      packageName: '@kindred/backend-test',
      plugin: {
        kind: 'backend',
        name: 'test',
        version: '1.0.0',
        description: 'For tests',
        citations: [],
        parameters: z.object({ k: z.int().min(1).default(3) }),
        load: async () => backend,
      },
    },
    {
      state: 'unavailable',
      packageName: '@kindred/backend-broken',
      name: 'broken',
      reason: 'library missing',
    },
  ],
  sources: async () => [],
  runners: async () => [],
  backend: async (name) => {
    if (name !== 'test')
      throw new ProblemError('backend_unavailable', `No backend ${name}; installed: test.`);
    return backend;
  },
  source: async (name) => Promise.reject(new ProblemError('backend_unavailable', name)),
  runner: async (name) => Promise.reject(new ProblemError('backend_unavailable', name)),
  backendPlugin: async (name) => Promise.reject(new ProblemError('backend_unavailable', name)),
  runnerPlugin: async (name) => Promise.reject(new ProblemError('backend_unavailable', name)),
};

export interface TestAccount {
  user: UserRow;
  key: string;
  headers: { authorization: string };
}

export interface TestApp {
  app: FastifyInstance;
  db: Database;
  url: string;
  broker: RecordingBroker;
  /** The store is a local folder that is removed with the app. */
  artifacts: ArtifactStore;
  compute: ComputePool;
  settings: HttpSettings;
  /** Makes an active account with a key of its role, in another database if `where` names one. */
  account(role: AccountRole, where?: Database): Promise<TestAccount>;
  /** Starts another app on the same database, as a second process would be. */
  sibling(changes?: Partial<HttpSettings>): Promise<FastifyInstance>;
  /** Calls inject and reads the JSON answer. */
  call(options: InjectOptions): Promise<{ status: number; headers: Record<string, unknown>; body: any }>; // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  close(): Promise<void>;
}

export const testPassword = 'correct horse battery';

/** Starts the real app on a separate database. */
export async function startTestApp(
  changes: Partial<HttpSettings> = {},
  mail: HttpDeps['mail'] = null,
  more: Partial<HttpDeps> = {},
): Promise<TestApp> {
  const database = await testDatabase();
  const db = openDatabase(database.url, 8);
  const broker = new RecordingBroker();
  const folder = await mkdtemp(join(tmpdir(), 'kindred-artifacts-'));
  const settings = { ...testSettings, cacheDir: join(folder, 'cache'), ...changes };
  const artifacts = createLocalArtifacts(folder);
  const compute = inlineCompute();
  const build = (siblingSettings: Partial<HttpSettings> = {}) =>
    buildApp({
      db,
      broker,
      plugins,
      artifacts,
      // Tests name addresses that do not exist; tests about addresses bring the real rules.
      checkAddress: async () => {},
      checkWebhookAddress: () => {},
      compute,
      memory: new Memory(),
      settings: { ...settings, ...siblingSettings },
      log: null,
      metrics: createMetrics(db),
      mail,
      ...more,
    });
  const apps = [await build()];
  return {
    app: apps[0],
    db,
    url: database.url,
    broker,
    artifacts,
    compute,
    settings,
    account: (role, where = db) => makeAccount(where, role),
    sibling: async (siblingSettings) => {
      const app = await build(siblingSettings);
      apps.push(app);
      return app;
    },
    call: async (options) => {
      const response = await apps[0].inject(options);
      requireDescribed(options, response);
      const json = /[/+]json\b/.test(String(response.headers['content-type'] ?? ''));
      return {
        status: response.statusCode,
        headers: response.headers,
        body: json ? response.json() : response.body,
      };
    },
    close: async () => {
      for (const app of apps) await app.close();
      await closeDatabase(db);
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function makeAccount(db: Database, role: AccountRole): Promise<TestAccount> {
  const name = `${role}-${randomUUID().slice(0, 8)}`;
  const user = await addUser(db, { email: `${name}@example.org`, role, password: testPassword });
  const owner = { ...anonymous, kind: 'account' as const, role, user };
  const { raw } = await mintApiKey(db, owner, { name, role });
  return { user, key: raw, headers: { authorization: `ApiKey ${raw}` } };
}

/**
 * Fails when the description does not list the answer's status, so every test of a route also checks its
 * description.
 */
function requireDescribed(options: InjectOptions, response: LightMyRequestResponse): void {
  const method = (options.method ?? 'GET').toUpperCase();
  const row = routeOf(method, String(options.url));
  if (row === undefined) return;
  const listed = [...Object.keys(row.reply).map(Number), ...refusalsOf(row)];
  if (listed.includes(response.statusCode)) return;
  throw new Error(
    `${method} ${row.path} answers ${response.statusCode}, which its description does not list: ${response.body.slice(0, 500)}`,
  );
}

/** Fails unless the answer is the problem document of this code. */
export function problemIn(response: { status: number; headers: Record<string, unknown>; body: unknown }): {
  status: number;
  code: string;
  errors?: { path: string; message: string; code: string }[];
} {
  if (!String(response.headers['content-type']).startsWith('application/problem+json')) {
    throw new Error(`no problem document: ${response.status} ${JSON.stringify(response.body)}`);
  }
  const body = response.body as Record<string, unknown>;
  for (const member of ['type', 'title', 'status', 'detail', 'instance', 'code']) {
    if (body[member] === undefined) throw new Error(`problem without ${member}: ${JSON.stringify(body)}`);
  }
  if (body.status !== response.status)
    throw new Error(`status ${response.status} but the body says ${body.status}`);
  return body as never;
}

/** Makes body and content type of a multipart form. */
export function multipart(
  parts: Record<string, string | { filename: string; content: Uint8Array | string }>,
): {
  payload: Buffer;
  headers: { 'content-type': string };
} {
  const boundary = `----${randomUUID()}`;
  const chunks = Object.entries(parts).flatMap(([name, value]) => {
    const isFile = typeof value !== 'string';
    const disposition = `form-data; name="${name}"${isFile ? `; filename="${value.filename}"` : ''}`;
    const type = isFile ? '\r\nContent-Type: application/octet-stream' : '';
    const head = `--${boundary}\r\nContent-Disposition: ${disposition}${type}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(isFile ? value.content : value), Buffer.from('\r\n')];
  });
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    payload: Buffer.concat(chunks),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
