// Lets a real Prometheus read ops/prometheus/prometheus.yml and scrape a real service: node .ci/suites/operations-scrape.mjs, after a
// build. The service's only worker is frozen, so a job stays in its queue: the alert for a stuck queue must fire, and end when the worker
// goes on.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../benchmarks/service.mjs';
import { freePort } from './free-port.mjs';

const limitMs = 300_000;
const ops = new URL('../../ops/prometheus/', import.meta.url);
const alertName = 'KindredQueueStuck';

/** Copies one of the files with seconds in place of minutes. Each change must fit exactly once. */
function changed(name, changes) {
  let text = readFileSync(new URL(name, ops), 'utf8');
  for (const [from, to] of changes) {
    assert.equal(text.split(from).length, 2, `${name} should have ${JSON.stringify(from)} once`);
    text = text.replace(from, to);
  }
  return text;
}

async function until(what, look) {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not come in ${limitMs / 1000} s`);
    await sleep(250);
  }
}

async function startPrometheus(folder, target) {
  const stuck = /- alert: KindredQueueStuck\n[\s\S]*?for: 5m\n/.exec(changed('rules.yml', []))?.[0];
  assert.ok(stuck?.includes('> 900'), 'the alert waits for a job of 900 s, then for 5 minutes');
  const quick = stuck.replace('> 900', '> 1').replace('for: 5m', 'for: 1s');
  writeFileSync(join(folder, 'rules.yml'), changed('rules.yml', [[stuck, quick]]));
  const config = changed('prometheus.yml', [
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
    ['evaluation_interval: 15s', 'evaluation_interval: 1s'],
    ["'127.0.0.1:8000'", `'${target}'`],
  ]);
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const address = `127.0.0.1:${await freePort()}`;
  const flags = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': join(folder, 'series'),
    'web.listen-address': address,
    'log.level': 'warn',
  };
  const child = spawn(
    'prometheus',
    Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    { stdio: 'inherit' },
  );
  const ended = once(child, 'exit');
  const ask = async (path) => {
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`);
    const response = await fetch(`http://${address}/api/v1/${path}`).catch(() => null);
    return response?.ok ? (await response.json()).data : null;
  };
  return {
    ask,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-scrape-'));
const service = await startService(join(folder, 'data'), folder, {
  SVC_LOAD_EXAMPLES: 'false',
  SVC_WORKER_METRICS_PORT: '0',
});
let prometheus = null;
let frozen = null;
try {
  prometheus = await startPrometheus(folder, new URL(service.url).host);
  const { ask } = prometheus;
  const up = await until('the first scrape', async () =>
    (await ask('targets'))?.activeTargets.find(({ health }) => health === 'up'),
  );
  assert.equal(up.labels.job, 'kindred');
  const [worker] = (await service.api.json('/v1/workers/status')).workers;
  process.kill(worker.pid, 'SIGSTOP');
  frozen = worker.pid;
  const job = await service.api.post('/v1/jobs', { operation: 'ping', queue_name: 'svc.ping', payload: {} });
  const firing = async () =>
    (await ask('alerts'))?.alerts.find(
      ({ labels, state }) => labels.alertname === alertName && state === 'firing',
    );
  const alert = await until('the alert', firing);
  assert.deepEqual(alert.labels, { alertname: alertName, severity: 'warning', queue: 'svc.ping' });
  assert.match(alert.annotations.description, /workers\/status/);
  process.kill(frozen, 'SIGCONT');
  frozen = null;
  await until('the job', async () => (await service.api.json(`/v1/jobs/${job.id}`)).status === 'SUCCEEDED');
  await until('the end of the alert', async () => (await ask('alerts')) !== null && !(await firing()));
  process.stdout.write('Prometheus scraped the service; the alert for a stuck queue fired and ended\n');
} finally {
  if (frozen !== null) process.kill(frozen, 'SIGCONT');
  await prometheus?.stop();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
