// Measures the requests a second of the reads that a page makes, on a service of its own with one API process. Replies are computed for
// each request (the client sends Cache-Control: no-cache) at full speed, at 1,000 clients and at a steady 500 a second; kept by the
// service; and requested again with the ETag.
//
//   node --expose-gc benchmarks/reads.bench.mjs [seconds of each] [connections]
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { readAddresses } from './reads-data.mjs';
import { processesOf, processorSeconds } from './service-processes.mjs';
import { startService } from './service.mjs';

const [duration = 3, connections = 100] = process.argv.slice(2).map(Number);

/**
 * Measures rates and latencies of one kind of request, and the processor time of each request (the only figure that other load changes
 * little).
 */
async function measure(paths, headers, clients = connections) {
  const before = processorSeconds(processes);
  const result = await autocannon({
    url: service.url,
    requests: paths.map((path) => ({ path, headers })),
    duration,
    connections: clients,
    timeout: 20,
  });
  const after = processorSeconds(processes);
  const { errors, non2xx, requests, latency } = result;
  const busy = result.statusCodeStats?.['503']?.count ?? 0;
  const refused = result['3xx'] === requests.total ? 0 : non2xx - busy;
  const costOf = (role) => (1e6 * (after[role] - before[role])) / requests.total;
  return {
    rate: (requests.total - busy) / result.duration,
    p99: latency.p99,
    faults: errors + refused,
    busy: busy / requests.total,
    cost: `${Math.round(costOf('http'))} + ${Math.round(costOf('postgres'))} µs`,
  };
}

/**
 * Returns the 99th percentile in milliseconds at a steady rate, with each request counted from the moment at which it was due. A client
 * with a fixed number of connections would wait for late replies, and so not measure what others meet meanwhile. The first second, in
 * which the client opens its connections and its code is compiled, does not count.
 */
async function steady(paths, headers, everySecond) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
  const { hostname, port } = new URL(service.url);
  const latencies = [];
  let faults = 0;
  const start = performance.now();
  /** @returns {Promise<void>} */
  const ask = (path, due) =>
    new Promise((resolve) => {
      const sent = request({ hostname, port, path, agent, headers }, (response) => {
        if (response.statusCode !== 200) faults++;
        response.resume().once('end', () => {
          if (due >= start + 1000) latencies.push(performance.now() - due);
          resolve();
        });
      });
      sent.once('error', () => {
        faults++;
        resolve();
      });
      sent.end();
    });
  const asked = [];
  const total = (1 + duration) * everySecond;
  while (asked.length < total) {
    const due = start + (1000 * asked.length) / everySecond;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    else asked.push(ask(paths[asked.length % paths.length], due));
  }
  await Promise.all(asked);
  agent.destroy();
  latencies.sort((a, b) => a - b);
  return { p99: Math.round(latencies[Math.floor(0.99 * latencies.length)]), faults };
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-reads-'));
const service = await startService(folder, folder);
const processes = processesOf(service.pid, folder);
const faultsOf = ({ faults, busy = 0 }) =>
  (faults > 0 ? `, ${faults} failed` : '') +
  (busy > 0 ? `, ${Math.round(100 * busy)} % refused as busy` : '');
const shown = (found) =>
  `${Math.round(found.rate).toLocaleString('en')} (p99 ${found.p99} ms${faultsOf(found)})`;
const withCost = (found) => `${shown(found)}, ${found.cost}`;
try {
  const { api } = service;
  console.log('Processor time of a request: API + database.\n');
  console.log(
    '| Read | computed | computed, 1,000 clients | computed, 500 a second | kept | with ETag | kept, 1,000 clients |\n' +
      '| --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const [name, paths] of Object.entries(await readAddresses(api))) {
    const etag = (await api.call(paths[0])).headers.get('etag');
    const fresh = { 'cache-control': 'no-cache' };
    const cells = [withCost(await measure(paths, fresh)), shown(await measure(paths, fresh, 1000))];
    const even = await steady(paths, fresh, 500);
    cells.push(`p99 ${even.p99} ms${faultsOf(even)}`);
    if (etag === null) cells.push('', '', '');
    else {
      cells.push(withCost(await measure(paths, {})));
      cells.push(shown(await measure(paths.slice(0, 1), { 'if-none-match': etag })));
      cells.push(shown(await measure(paths, {}, 1000)));
    }
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
