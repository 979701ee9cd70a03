// How long a one-protein annotation takes while a large run is in progress: on an idle service, then beside 50,000 sequences.
//
//   node benchmarks/fair-queue.bench.mjs [sequences of the large run] [seconds]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startService } from './service.mjs';

const [sequences = 50_000, seconds = 75] = process.argv.slice(2).map(Number);
const pauseMs = 500;
const letters = 'ACDEFGHIKLMNPQRSTVWY';
let state = 12_345;
const random = (below) => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((state / 2 ** 31) * below);
};

const reference = gunzipSync(readFileSync(new URL('../examples/reference.fasta.gz', import.meta.url)))
  .toString()
  .split('>')
  .slice(1)
  .map((record) => record.slice(record.indexOf('\n')).replaceAll('\n', ''));

/** A sequence of the reference with a tenth of its residues replaced. */
function variant() {
  const residues = [...reference[random(reference.length)]];
  for (let n = 0; n < residues.length / 10; n++)
    residues[random(residues.length)] = letters[random(letters.length)];
  return residues.join('');
}

async function annotate(api, count) {
  const body = new FormData();
  const fasta = Array.from({ length: count }, (_, n) => `>q${n}\n${variant()}\n`).join('');
  body.set('file', new Blob([fasta]), 'queries.fasta');
  return (await api.upload('/v1/annotate?auto_predict=true', body)).predict_job_id;
}

async function ended(api, id) {
  for (;;) {
    const job = await api.json(`/v1/jobs/${id}`);
    if (job.status === 'SUCCEEDED') return;
    if (job.status !== 'QUEUED' && job.status !== 'RUNNING')
      throw new Error(`${job.status}: ${job.error_message}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function measure(api, untilMs) {
  const times = [];
  while (performance.now() < untilMs) {
    const start = performance.now();
    await ended(api, await annotate(api, 1));
    times.push((performance.now() - start) / 1000);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(2);
  return `${times.length} annotations: median ${at(0.5)} s, p95 ${at(0.95)} s, longest ${at(1)} s`;
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-fair-'));
const service = await startService(folder, folder);
try {
  const { api } = service;
  await ended(api, await annotate(api, 1));
  console.log(`idle: ${await measure(api, performance.now() + 10_000)}`);
  const large = await annotate(api, sequences);
  const result = await measure(api, performance.now() + seconds * 1000);
  const { status, progress_current: done, progress_total: total } = await api.json(`/v1/jobs/${large}`);
  console.log(`beside ${sequences} sequences (${status}, ${done} of ${total} batches): ${result}`);
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
