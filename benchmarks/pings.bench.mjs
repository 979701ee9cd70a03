// Jobs a second from the request to the end: pings submitted through the API of a service of its own, one worker process, until the last
// one has SUCCEEDED. Printed for the embedded broker and, with an address, for a RabbitMQ that nobody else uses.
//
//   node benchmarks/pings.bench.mjs [jobs] [connections] [amqp://...]
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf, processorSeconds } from './service-processes.mjs';
import { startService } from './service.mjs';

const [jobs = 10_000, connections = 64] = process.argv.slice(2, 4).map(Number);
const amqp = process.argv[4];
const warmUp = 500;
const body = Buffer.from(JSON.stringify({ operation: 'ping', queue_name: 'svc.ping', payload: {} }));

/** Submits `count` pings, `connections` at a time; the client must cost little, since it shares the machine. */
async function submit(service, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = {
    authorization: service.api.headers.authorization,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  /** @returns {Promise<void>} */
  const post = () =>
    new Promise((resolve, reject) => {
      const sent = request(`${service.url}/v1/jobs`, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.once('end', () =>
          response.statusCode === 201 ? resolve() : reject(new Error(`HTTP ${response.statusCode}`)),
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun++;
      await post();
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  agent.destroy();
}

const newest = async (service, status) =>
  (await service.api.json(`/v1/jobs?operation=ping&limit=1&status=${status}`)).length;

async function untilDone(service) {
  while ((await newest(service, 'QUEUED')) + (await newest(service, 'RUNNING')) > 0) await sleep(20);
  if ((await newest(service, 'FAILED')) > 0) throw new Error('a ping failed');
}

async function measure(name, settings) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-pings-'));
  const service = await startService(folder, folder, {
    SVC_LOAD_EXAMPLES: 'false',
    SVC_RATELIMIT_JOBS: '10000000/minute',
    ...settings,
  });
  try {
    await submit(service, warmUp);
    await untilDone(service);
    const processes = processesOf(service.pid, folder);
    const before = processorSeconds(processes);
    const start = performance.now();
    await submit(service, jobs);
    const submitted = (performance.now() - start) / 1000;
    await untilDone(service);
    const done = (performance.now() - start) / 1000;
    const after = processorSeconds(processes);

    process.kill(processes.nodes.worker, 'SIGSTOP');
    await submit(service, jobs);
    process.kill(processes.nodes.worker, 'SIGCONT');
    const resumed = performance.now();
    await untilDone(service);
    const drained = (performance.now() - resumed) / 1000;
    const rate = (seconds) => Math.round(jobs / seconds).toLocaleString('en');
    const cost = Object.entries(after).map(
      ([role, seconds]) => `${role} ${(((seconds - before[role]) * 1000) / jobs).toFixed(2)}`,
    );
    console.log(
      `${name}: ${rate(done)} a second from the request to the end (accepted at ${rate(submitted)}); ` +
        `${rate(drained)} a second from a full queue. Processor time of one, ms: ${cost.join(', ')}`,
    );
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await measure('embedded broker', {});
if (amqp !== undefined) await measure('RabbitMQ', { SVC_AMQP_URL: amqp });
