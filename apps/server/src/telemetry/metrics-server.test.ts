import { expect, it } from 'vitest';
import { closeDatabase, openDatabase } from '../store/postgres/connection.js';
import { createMetrics } from './metrics.js';
import { serveMetrics } from './metrics-server.js';

it('shows what this process counted, without a database', async () => {
  const db = openDatabase('postgres://nobody@127.0.0.1:1/none', 1);
  const metrics = createMetrics(db);
  metrics.worker.jobFinished('ping', 'SUCCEEDED', 0.2);
  metrics.worker.batchFinished('compute_embeddings_batch', 3);
  const server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 });
  try {
    const at = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    const answer = await at('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    expect(text).toContain('jobs_total{operation="ping",status="SUCCEEDED"} 1\n');
    expect(text).toContain('job_duration_seconds_sum{operation="ping",status="SUCCEEDED"} 0.2\n');
    expect(text).toContain('embeddings_batch_seconds_count 1\n');
    expect(text).toContain('db_pool_in_use 0\n');
    expect([(await at('/')).status, (await at('/metrics', 'POST')).status]).toEqual([404, 405]);
  } finally {
    await server.close();
    await closeDatabase(db);
  }
});
