import { defaultQuotas, defaultRateLimits } from '../accounts/settings.js';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import type { Broker } from '../work/broker/broker.js';
import type { ComputePool } from '../ground/pool/pool.js';
import type { PluginRegistry } from '../ground/plugins/registry.js';
import { closeDatabase, openDatabase } from '../store/postgres/db.js';
import { buildApp } from './app.js';
import { httpSettingRows } from '../ground/settings/http.js';
import { defaultsOf } from '../ground/settings/setting-row.js';
import { Memory } from '../ground/memory.js';
import { defaultBenchmarkSettings } from './benchmark/settings.js';

export { problemsMarkdown } from './pages/problem-pages.js';

/**
 * Makes the text of docs/reference/openapi.json: the server's description, made without a database, a broker
 * or a plugin.
 */
export async function openApiReference(): Promise<string> {
  // The pool connects with the first query, and a description makes no query.
  const db = openDatabase('postgres://nowhere.invalid/none', 1);
  const app = await buildApp({
    db,
    broker: unused<Broker>(),
    plugins: unused<PluginRegistry>(),
    artifacts: unused<ArtifactStore>(),
    checkAddress: async () => {},
    checkWebhookAddress: () => {},
    compute: unused<ComputePool>(),
    memory: new Memory(),
    settings: {
      version: '1',
      authnRequired: true,
      jwtSecret: 'x'.repeat(32),
      passwordMinLength: 8,
      rateLimits: defaultRateLimits,
      quotas: defaultQuotas,
      ...defaultsOf(httpSettingRows),
      benchmark: defaultBenchmarkSettings,
      unreferencedArtifactDays: 0,
      allowedOrigins: [],
      basePath: '',
      cacheDir: '',
      webRoot: null,
      networkFolder: '',
    },
    log: null,
    metrics: null,
    mail: null,
  });
  try {
    await app.ready();
    return `${JSON.stringify(app.swagger(), null, 2)}\n`;
  } finally {
    await app.close();
    await closeDatabase(db);
  }
}

function unused<T extends object>(): T {
  return new Proxy({} as T, {
    get: (_target, name) => {
      throw new Error(`a description needs no ${String(name)}`);
    },
  });
}
