// Processor time of reads beside another version: an API process of each checkout on one database, asked in turns, so that other load on
// the machine meets both. The replies must be the same bytes.
//
//   node benchmarks/reads-compare.bench.mjs CHECKOUT [seconds of each turn] [turns] [connections]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { readAddresses } from './reads-data.mjs';
import { environmentOf, processesOf, processorSeconds } from './service-processes.mjs';
import { startService } from './service.mjs';

const [checkout, ...numbers] = process.argv.slice(2);
if (checkout === undefined) throw new Error('name the checkout of the other version, which must be built');
const [duration = 2, turns = 3, connections = 20] = numbers.map(Number);
const fresh = { 'cache-control': 'no-cache' };
const firstPort = 18_500;

const folder = mkdtempSync(join(tmpdir(), 'kindred-reads-'));
const service = await startService(folder, folder);
const { nodes, database } = processesOf(service.pid, folder);

async function startApi(root, port) {
  const main = join(root, 'apps', 'server', 'dist', 'main.js');
  const child = spawn(process.execPath, [main, 'http', '--port', String(port)], {
    env: { ...process.env, ...environmentOf(nodes.http) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/health/ready`).catch(() => ({ ok: false }))).ok) {
    if (child.exitCode !== null) throw new Error(`the API of ${root} ended with ${child.exitCode}`);
    await sleep(200);
  }
  return { url, processes: { nodes: { http: child.pid }, database }, child };
}

async function turn({ url, processes }, paths, headers) {
  const before = processorSeconds(processes);
  const requests = paths.map((path) => ({ path, headers }));
  const result = await autocannon({ url, requests, duration, connections, timeout: 20 });
  const after = processorSeconds(processes);
  if (result.errors + result.non2xx > 0)
    throw new Error(`${paths[0]}: ${result.errors} errors, ${result.non2xx} refused`);
  const costOf = (role) => (1e6 * (after[role] - before[role])) / result.requests.total;
  return [costOf('http'), costOf('postgres')];
}

async function digestOf({ url }, paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(await (await fetch(url + path, { headers: fresh })).text());
  return hash.digest('hex');
}

const median = (values) => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]);
const shown = (costs) =>
  `${median(costs.map(([api]) => api))} + ${median(costs.map(([, postgres]) => postgres))}`;

const apis = [];
try {
  const here = fileURLToPath(new URL('..', import.meta.url));
  for (const root of [resolve(checkout), here]) apis.push(await startApi(root, firstPort + apis.length));
  console.log('Microseconds of the processor for a request, API + database: median of the turns.\n');
  console.log('| Read | other | this |\n| --- | --- | --- |');
  const reads = Object.entries(await readAddresses(service.api)).map(([name, paths]) => [name, paths, fresh]);
  for (const [name, paths, headers] of [...reads, ['one protein, kept', reads[2][1], {}]]) {
    const digests = await Promise.all(apis.map((api) => digestOf(api, paths)));
    const costs = apis.map(() => []);
    for (const api of apis) await turn(api, paths, headers);
    for (let i = 0; i < turns; i++)
      for (const [at, api] of apis.entries()) costs[at].push(await turn(api, paths, headers));
    const note = digests[0] === digests[1] ? '' : ' (another reply)';
    console.log(`| ${name} | ${shown(costs[0])} | ${shown(costs[1])}${note} |`);
  }
} finally {
  for (const { child } of apis) child.kill('SIGTERM');
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
