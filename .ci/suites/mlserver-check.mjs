// Checks the backend "inference" against a real MLServer, after a build: node .ci/suites/mlserver-check.mjs <folder of its programs>. It
// runs the conformance suite of backends, and kills the server in the middle of a batch, which must be retried without losing or doubling
// anything.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { plugin } from '@kindred/backend-inference';
import { inferenceBackend } from '@kindred/backend-inference/backend';
import { backendConformance } from '@kindred/testkit/conformance';
import { freePort } from './free-port.mjs';

const programs = process.argv[2];
const model = fileURLToPath(new URL('mlserver-model', import.meta.url));

const port = await freePort();
const others = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${port}`;
let running = null;

async function start(answerAfterSeconds) {
  const settings = {
    MLSERVER_HOST: '127.0.0.1',
    MLSERVER_HTTP_PORT: port,
    MLSERVER_GRPC_PORT: others[0],
    MLSERVER_METRICS_PORT: others[1],
    MLSERVER_PARALLEL_WORKERS: 0,
    ANSWER_AFTER_SECONDS: answerAfterSeconds,
    PYTHONPATH: model,
    PYTHONDONTWRITEBYTECODE: 1,
  };
  // The program `env` becomes the server, so that a signal reaches the server.
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const server = spawn('env', [...variables, join(programs, 'mlserver'), 'start', model], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (said += text));
  running = server;
  for (;;) {
    const ready = await fetch(`${url}/v2/health/ready`).catch(() => null);
    if (ready?.ok) return;
    if (server.exitCode !== null) throw new Error(`mlserver ended:\n${said}`);
    await sleep(200);
  }
}

async function stop(signal) {
  if (running === null || running.exitCode !== null || running.signalCode !== null) return;
  const ended = once(running, 'exit');
  running.kill(signal);
  await ended;
}

let passed = 0;
let failed = 0;
async function check(name, run) {
  try {
    await run();
    passed++;
  } catch (error) {
    failed++;
    process.stdout.write(`FAILED: mlserver, ${name}: ${error.stack ?? error}\n`);
  }
}

async function killedInBatch() {
  const residues = 'ACDEFGHIKLMNPQRSTVWY';
  const sequences = Array.from({ length: 200 }, (_, i) =>
    Array.from({ length: 30 + (i % 40) }, (_, j) => residues[(i * 7 + j * j + i * j) % 20]).join(''),
  );
  const backend = inferenceBackend({ url, token: null, timeoutMs: 60_000, maxRetries: 12, retryBaseMs: 250 });
  const recipe = completeRecipe({ model_name: 'composition', model_backend: 'inference', normalize: false });
  const session = await backend.open(recipe);
  const calm = await session.embed(sequences);
  await stop('SIGKILL');
  // Each answer takes a second now, so the kill comes while the first request waits.
  await start(1);
  const disturbed = session.embed(sequences);
  await sleep(500);
  await stop('SIGKILL');
  await start(0);
  const again = await disturbed;
  assert.deepEqual(again.sequenceIndex, calm.sequenceIndex);
  assert.deepEqual(again.vectors, calm.vectors);
  assert.equal(again.vectors.length, sequences.length * 20);
}

try {
  await start(0);
  const context = { dataDir: '', settings: { url, token: null } };
  for (const { name, run } of backendConformance(plugin, { context })) await check(name, run);
  await check('killed in the middle of a batch', killedInBatch);
} finally {
  await stop('SIGTERM');
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
