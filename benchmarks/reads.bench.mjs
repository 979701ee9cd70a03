// Measures the requests a second of the reads that a page makes, on a service of its own with one API process and the example set of 4,000
// proteins. Replies are computed for each request (the client sends Cache-Control: no-cache) at full speed, at 1,000 clients and at a
// steady 500 a second; kept by the service; and requested again with the ETag. Then the reads of one protein alone and beside 20 clients
// that read whole runs, and what the service still does for 100 clients that have left a large read.
//
//   node --expose-gc benchmarks/reads.bench.mjs [seconds of each] [connections]
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { keep } from './figures.mjs';
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
    microseconds: costOf('http') + costOf('postgres'),
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

const largeClients = 20;
const smallASecond = 50;

/** Measures the reads of one protein at a steady rate, alone and while other clients read whole runs again and again, in turns. */
async function besideLarge(addresses) {
  const fresh = { 'cache-control': 'no-cache' };
  const small = addresses['one protein'];
  const p99 = { alone: [], beside: [] };
  let refused = 0;
  for (let turn = 0; turn < 2; turn++) {
    p99.alone.push((await steady(small, fresh, smallASecond)).p99);
    const stop = new AbortController();
    const large = Array.from({ length: largeClients }, async () => {
      while (!stop.signal.aborted)
        await service.api
          .call(addresses['overview of a finished run'][0], { headers: fresh })
          .then((reply) => reply.arrayBuffer())
          .catch(() => sleep(100));
    });
    const meanwhile = await steady(small, fresh, smallASecond);
    p99.beside.push(meanwhile.p99);
    refused += meanwhile.faults;
    stop.abort();
    await Promise.all(large);
  }
  const [alone, beside] = [p99.alone, p99.beside].map((values) => Math.max(1, Math.min(...values)));
  keep('p99 beside large reads / alone', beside / alone);
  keep('small reads refused beside large ones', refused);
  console.log(
    `\none protein, ${smallASecond} a second: p99 ${alone} ms alone, ${beside} ms beside ${largeClients} clients that read an overview (${(beside / alone).toFixed(1)} times), ${refused} refused or failed`,
  );
}

/** Measures what the service computes after 100 clients have asked for all rows of proteins and gone away. */
async function abandoned(addresses) {
  const paths = addresses['prediction rows'];
  const asked = Array.from({ length: 100 }, (_, i) => {
    const sent = request(new URL(paths[i % paths.length], service.url), {
      headers: { 'cache-control': 'no-cache' },
    });
    sent.on('error', () => {});
    sent.end();
    return sent;
  });
  await sleep(100);
  for (const sent of asked) sent.destroy();
  const sum = (seconds) => seconds.http + seconds.postgres;
  const before = sum(processorSeconds(processes));
  const started = performance.now();
  await service.api.call(addresses['one protein'][0], { headers: { 'cache-control': 'no-cache' } });
  const waited = performance.now() - started;
  await sleep(3000);
  const spent = sum(processorSeconds(processes)) - before;
  keep('processor seconds after 100 abandoned reads', spent);
  keep('wait after 100 abandoned reads, milliseconds', waited);
  console.log(
    `after 100 clients left large reads: ${spent.toFixed(2)} processor s of API and database in 3 s, the next small read waited ${Math.round(waited)} ms`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-reads-'));
const service = await startService(folder, folder, { SVC_LOAD_EXAMPLES: 'small' });
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
  const addresses = await readAddresses(api);
  for (const [name, paths] of Object.entries(addresses)) {
    const etag = (await api.call(paths[0])).headers.get('etag');
    const fresh = { 'cache-control': 'no-cache' };
    const computed = await measure(paths, fresh);
    keep('computed, microseconds', computed.microseconds, { read: name });
    const cells = [withCost(computed), shown(await measure(paths, fresh, 1000))];
    const even = await steady(paths, fresh, 500);
    cells.push(`p99 ${even.p99} ms${faultsOf(even)}`);
    if (etag === null) cells.push('', '', '');
    else {
      const kept = await measure(paths, {});
      keep('kept, microseconds', kept.microseconds, { read: name });
      cells.push(withCost(kept));
      cells.push(shown(await measure(paths.slice(0, 1), { 'if-none-match': etag })));
      cells.push(shown(await measure(paths, {}, 1000)));
    }
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  await besideLarge(addresses);
  await abandoned(addresses);
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
