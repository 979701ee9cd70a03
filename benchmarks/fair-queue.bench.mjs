// How long a one-protein annotation takes while a large run is in progress: on an idle service, then while the vectors of
// 50,000 sequences are computed, then while their predictions are. A phase that ends during its measurement fails the benchmark.
//
//   node benchmarks/fair-queue.bench.mjs [sequences of the large run, 0 for the idle service alone] [seconds]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@kindred/kernels/arrays';
import { anyVariant, exampleSequences } from './example-proteins.mjs';
import { startService } from './service.mjs';

const [sequences = 50_000, seconds = 75] = process.argv.slice(2).map(Number);
const pauseMs = 500;
const numbers = new Random(12_345);
const reference = exampleSequences();
const variant = () => anyVariant(reference, (below) => numbers.integer(below));

async function annotate(api, count) {
  const body = new FormData();
  const fasta = Array.from({ length: count }, (_, n) => `>q${n}\n${variant()}\n`).join('');
  body.set('file', new Blob([fasta]), 'queries.fasta');
  const { embedding_job_id: embedding, predict_job_id: prediction } = await api.upload(
    '/v1/annotate?auto_predict=true',
    body,
  );
  return { embedding, prediction };
}

const read = (api, id) => api.json(`/v1/jobs/${id}`);

async function ended(api, id) {
  for (;;) {
    const job = await read(api, id);
    if (job.status === 'SUCCEEDED') return job;
    if (job.status !== 'QUEUED' && job.status !== 'RUNNING')
      throw new Error(`${job.status}: ${job.error_message}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** One protein from the request to the end of its predictions, with the parts of the time, in seconds. */
async function sample(api, sinceMs) {
  const start = performance.now();
  const { embedding, prediction } = await annotate(api, 1);
  const submitted = performance.now();
  const predicted = await ended(api, prediction);
  const total = (performance.now() - start) / 1000;
  const embedded = await read(api, embedding);
  const between = (from, to) => (Date.parse(to) - Date.parse(from)) / 1000;
  return {
    total,
    at: (start - sinceMs) / 1000,
    parts: {
      request: (submitted - start) / 1000,
      'wait to embed': between(embedded.created_at, embedded.started_at),
      embed: between(embedded.started_at, embedded.finished_at),
      'wait to predict': between(embedded.finished_at, predicted.started_at),
      predict: between(predicted.started_at, predicted.finished_at),
    },
  };
}

async function measure(api, forMs) {
  const samples = [];
  const from = performance.now();
  while (performance.now() < from + forMs) {
    samples.push(await sample(api, from));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  samples.sort((a, b) => a.total - b.total);
  const at = (share) =>
    samples[Math.min(samples.length - 1, Math.floor(samples.length * share))].total.toFixed(2);
  const slowest = samples.slice(-3).map(({ total, at: second, parts }) => {
    const shown = Object.entries(parts).map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`);
    return `\n  ${total.toFixed(2)} s, begun in second ${second.toFixed(0)}: ${shown.join(', ')}`;
  });
  return `${samples.length} annotations: median ${at(0.5)} s, p95 ${at(0.95)} s, longest ${at(1)} s${slowest.join('')}`;
}

/** Measures while batches of one job of the large run are in work: from the first that is stored, and not beyond the last. */
async function besideJob(api, id, what) {
  while ((await read(api, id)).progress_current === 0)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const result = await measure(api, (seconds * 1000) / 2);
  const { status, progress_current: done, progress_total: total } = await read(api, id);
  if (status !== 'RUNNING')
    throw new Error(
      `the ${what} were ready (${status}) before the measurement: give more sequences, or fewer seconds`,
    );
  console.log(`beside the ${what} of ${sequences} sequences (${done} of ${total} batches done): ${result}`);
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-fair-'));
const service = await startService(folder, folder);
try {
  const { api } = service;
  await sample(api, 0);
  console.log(`idle: ${await measure(api, 10_000)}`);
  if (sequences > 0) {
    const large = await annotate(api, sequences);
    await besideJob(api, large.embedding, 'vectors');
    await ended(api, large.embedding);
    await besideJob(api, large.prediction, 'predictions');
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
