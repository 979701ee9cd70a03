// Requests a second of the reads that a page makes, on a service of its own with one API process: computed for each request (the client
// sends Cache-Control: no-cache) at as many as it can, at 1,000 clients and at a steady 500 a second, kept by the service, and asked for again with
// the ETag.
//
//   node --expose-gc benchmarks/reads.bench.mjs [seconds of each] [connections]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { processesOf, processorSeconds } from './service-processes.mjs';
import { startService } from './service.mjs';

const [duration = 3, connections = 100] = process.argv.slice(2).map(Number);

async function addresses(api) {
  const body = new FormData();
  body.set(
    'file',
    new Blob([readFileSync(new URL('../examples/queries.fasta', import.meta.url))]),
    'q.fasta',
  );
  const { predict_job_id: id } = await api.upload('/v1/annotate?auto_predict=true', body);
  let job = { status: 'QUEUED' };
  while (job.status === 'QUEUED' || job.status === 'RUNNING') {
    await new Promise((resolve) => setTimeout(resolve, 200));
    job = await api.json(`/v1/jobs/${id}`);
  }
  const set = `/v1/embeddings/prediction-sets/${job.result.prediction_set_id}`;
  const [query] =
    readFileSync(new URL('../examples/queries.fasta', import.meta.url), 'utf8').match(/(?<=>\w+[|])\w+/) ??
    [];
  const [{ accession }] = (await api.json('/v1/proteins?limit=1')).items;
  const [{ id: snapshot }] = await api.json('/v1/annotations/snapshots?limit=1');
  const [{ go_id: term }] = await api.json(
    `/v1/annotations/snapshots/${snapshot}/terms?search=binding&limit=1`,
  );
  return {
    health: '/health',
    showcase: '/v1/showcase',
    'one protein': `/v1/proteins/${accession}`,
    'protein list': '/v1/proteins?limit=20',
    'one term': `/v1/annotations/snapshots/${snapshot}/terms/${term}`,
    'answer of a finished run': `${set}/proteins/${query}/answer`,
    'overview of a finished run': `${set}/overview?limit=50`,
    'prediction rows': `${set}/proteins/${query}`,
  };
}

/** Rates and latencies of one kind of request, and the processor time that each took (the only figure that other load changes little). */
async function measure(url, headers, { clients = connections, everySecond } = {}) {
  const before = processorSeconds(processes);
  const rate = everySecond === undefined ? {} : { overallRate: everySecond };
  const result = await autocannon({ url, headers, duration, connections: clients, timeout: 20, ...rate });
  const after = processorSeconds(processes);
  const { errors, non2xx, requests, latency } = result;
  const refused = result['3xx'] === requests.total ? 0 : non2xx;
  const costOf = (role) => (1e6 * (after[role] - before[role])) / requests.total;
  return {
    rate: requests.average,
    p99: latency.p99,
    faults: errors + refused,
    cost: `${Math.round(costOf('http'))} + ${Math.round(costOf('postgres'))} µs`,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-reads-'));
const service = await startService(folder, folder);
const processes = processesOf(service.pid, folder);
const faultsOf = ({ faults }) => (faults > 0 ? `, ${faults} failed` : '');
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
  for (const [name, path] of Object.entries(await addresses(api))) {
    const url = service.url + path;
    const etag = (await api.call(path)).headers.get('etag');
    const fresh = { 'cache-control': 'no-cache' };
    const cells = [
      withCost(await measure(url, fresh)),
      shown(await measure(url, fresh, { clients: 1000 })),
      `p99 ${(await measure(url, fresh, { everySecond: 500 })).p99} ms`,
    ];
    if (etag === null) cells.push('', '', '');
    else {
      cells.push(withCost(await measure(url, {})));
      cells.push(shown(await measure(url, { 'if-none-match': etag })));
      cells.push(shown(await measure(url, {}, { clients: 1000 })));
    }
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
