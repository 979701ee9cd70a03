// Requests a second of the reads that a page makes, on a service of its own with one API process: computed for each request (the client
// sends Cache-Control: no-cache), kept by the service, and asked for again with the ETag.
//
//   node --expose-gc benchmarks/reads.bench.mjs [seconds of each] [connections]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
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

async function measure(url, headers, wanted = connections) {
  const result = await autocannon({ url, headers, duration, connections: wanted, timeout: 20 });
  const { errors, non2xx, requests, latency } = result;
  const refused = result['3xx'] === requests.total ? 0 : non2xx;
  return { rate: requests.average, p99: latency.p99, faults: errors + refused };
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-reads-'));
const service = await startService(folder, folder);
const shown = ({ rate, p99, faults }) =>
  `${Math.round(rate).toLocaleString('en')} (p99 ${p99} ms${faults > 0 ? `, ${faults} failed` : ''})`;
try {
  const { api } = service;
  console.log(
    `| Read | computed | kept | with ETag | kept, 1,000 clients |\n| --- | --- | --- | --- | --- |`,
  );
  for (const [name, path] of Object.entries(await addresses(api))) {
    const url = service.url + path;
    const etag = (await api.call(path)).headers.get('etag');
    const computed = await measure(url, { 'cache-control': 'no-cache' });
    const cells = [shown(computed)];
    if (etag === null) cells.push('', '', shown(await measure(url, {}, 1000)));
    else {
      cells.push(shown(await measure(url, {})));
      cells.push(shown(await measure(url, { 'if-none-match': etag })));
      cells.push(shown(await measure(url, {}, 1000)));
    }
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
