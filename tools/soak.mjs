// Runs a whole service on embedded defaults under a steady load of 20 reads and one annotation a second, for two hours unless --minutes
// says otherwise: npm run soak [-- --minutes N]. It fails if a request or a job fails, if the memory of a process grows by 5 % or more
// after its first ten minutes, or if a table of expiring rows still grows when it has rows to expire (annotations are kept for one hour
// here).
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { request, Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startService } from '../benchmarks/service.mjs';
import { privateMemory, processesOf } from '../benchmarks/service-processes.mjs';
import { build } from './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '120' } } });
const minutes = Number(values.minutes);
if (!Number.isInteger(minutes) || minutes < 1 || minutes > 10_000) {
  console.error(`--minutes takes a whole number from 1 to 10000, not ${values.minutes}.`);
  process.exit(64);
}
if (!(await build(root))) process.exit(1);
const { startEmbeddedPostgres } = await import('../apps/server/dist/run/embedded/postgres.js');
const { anyVariant, exampleSequences } = await import('../benchmarks/example-proteins.mjs');

const readsEverySecond = 20;
const minute = 60_000;
/** The interval of the samples: memory rises and falls with garbage, so a minute has twelve. */
const memoryEverySeconds = 5;
const warmUpMinutes = 10;
/** The time after which annotations must be gone: they expire after an hour, and are deleted within a minute or two. */
const expiryMinutes = 65;
const most = 1.05;
/** The tables whose rows go with an expired annotation. The others keep their rows for days, which the test of retention covers. */
const expiring = [
  'prediction_set',
  'prediction_set_protein',
  'go_prediction',
  'query_set',
  'query_set_entry',
  'sequence',
  'sequence_embedding',
];

const folder = mkdtempSync(join(tmpdir(), 'kindred-soak-'));
const dataDir = join(folder, 'data');
mkdirSync(dataDir);
const service = await startService(dataDir, folder, { SVC_EPHEMERAL_TTL_HOURS: '1' });
const database = new pg.Client(
  (await startEmbeddedPostgres(join(dataDir, 'postgres'))).url.replace('postgresql:', 'postgres:'),
);
await database.connect();
const processes = processesOf(service.pid, dataDir);
const agent = new Agent({ keepAlive: true, maxSockets: 100 });
const { hostname, port } = new URL(service.url);

/** The memory readings of the present minute, by role. */
let memories = [];
/**
 * The counts; `busy` counts requests that were refused with 503 and Retry-After, and sent again after that time, because other work loads
 * the machine.
 */
const found = { reads: 0, annotations: 0, busy: 0, faults: [], latencies: [] };
const samples = [];
const finished = [];

async function call(method, path, headers = {}, body) {
  for (;;) {
    const answer = await ask(method, path, headers, body);
    if (answer.status < 400) return answer.text;
    if (answer.status !== 503 || answer.retryAfter === undefined)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    found.busy++;
    await sleep(1000 * Number(answer.retryAfter));
  }
}

function ask(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('end', () => {
        resolve({
          status: response.statusCode,
          text: Buffer.concat(chunks).toString(),
          retryAfter: response.headers['retry-after'],
        });
      });
      response.once('error', reject);
    });
    sent.once('error', (error) => {
      // The service closes connections that were idle for long, also at the moment when one is used again, so a read is sent again, as
      // browsers do.
      const isClosing = method === 'GET' && sent.reusedSocket && error.code === 'ECONNRESET';
      if (isClosing) resolve(ask(method, path, headers, body));
      else reject(error);
    });
    sent.end(body);
  });
}

const get = async (path) => JSON.parse(await call('GET', path));

/** Counts a failure; the first hundred are kept in words. */
function fault(error) {
  if (found.faults.length < 100) found.faults.push(`${new Date().toISOString()} ${error.message}`);
  else found.faults.push('');
}

const sequences = exampleSequences();
const random = (below) => Math.floor(Math.random() * below);

/** Annotates one protein that the service has not seen. */
async function annotate(number) {
  const boundary = `soak${number}`;
  const body = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="q.fasta"\r\n\r\n>soak${number}\n${anyVariant(sequences, random)}\n\r\n--${boundary}--\r\n`;
  // The requests have the operator's key, because callers without an account have a small daily quota.
  const headers = {
    ...service.api.headers,
    'content-type': `multipart/form-data; boundary=${boundary}`,
  };
  const { predict_job_id: id } = JSON.parse(
    await call('POST', '/v1/annotate?auto_predict=true&save_history=false', headers, body),
  );
  for (;;) {
    const job = await get(`/v1/jobs/${id}`);
    if (job.status === 'SUCCEEDED') {
      finished.push({ set: job.result.prediction_set_id, protein: `soak${number}`, job: id });
      if (finished.length > 100) finished.shift();
      return;
    }
    if (job.status !== 'QUEUED' && job.status !== 'RUNNING')
      throw new Error(`${job.status}: ${job.error_message}`);
    await sleep(500);
  }
}

const accessions = (await get('/v1/proteins?limit=200')).items.map((item) => item.accession);
const [{ id: snapshot }] = await get('/v1/annotations/snapshots?limit=1');
const terms = (await get(`/v1/annotations/snapshots/${snapshot}/terms?search=binding&limit=100`)).map(
  (term) => term.go_id,
);
const pick = (list) => list[random(list.length)];
const reads = [
  () => '/v1/showcase',
  () => `/v1/proteins/${pick(accessions)}`,
  () => `/v1/proteins?limit=20&offset=${20 * random(100)}`,
  () => `/v1/annotations/snapshots/${snapshot}/terms/${pick(terms)}`,
  ...['', '/answer'].map((part) => () => {
    const run = pick(finished);
    return run && `/v1/embeddings/prediction-sets/${run.set}/proteins/${run.protein}${part}`;
  }),
  () => {
    const run = pick(finished);
    return run && `/v1/embeddings/prediction-sets/${run.set}/overview?limit=50`;
  },
  () => {
    const run = pick(finished);
    return run && `/v1/jobs/${run.job}/events`;
  },
  () => '/metrics',
];

async function read() {
  const start = performance.now();
  await call('GET', pick(reads)() ?? '/v1/showcase');
  found.latencies.push(performance.now() - start);
}

async function sample(atMinute) {
  const rows = {};
  for (const table of expiring)
    rows[table] = Number((await database.query(`select count(*) from ${table}`)).rows[0].count);
  const { rows: sizes } = await database.query('select pg_database_size(current_database()) as bytes');
  const latencies = found.latencies.sort((a, b) => a - b);
  const taken = {
    minute: atMinute,
    memory: Object.fromEntries(
      Object.keys(memories[0]).map((role) => [role, median(memories.map((memory) => memory[role]))]),
    ),
    rows,
    databaseMiB: Math.round(sizes[0].bytes / 2 ** 20),
    p99: Math.round(latencies[Math.floor(0.99 * latencies.length)] ?? 0),
  };
  found.latencies = [];
  memories = [];
  samples.push(taken);
  const memory = Object.entries(taken.memory).map(([role, mib]) => `${role} ${Math.round(mib)}`);
  console.log(
    `${String(atMinute).padStart(4)} min: MiB ${memory.join(', ')}; database ${taken.databaseMiB} MiB, ${taken.rows.prediction_set} sets, ${taken.rows.go_prediction} predictions; p99 of reads ${taken.p99} ms; ${found.reads} reads, ${found.annotations} annotations, ${found.busy} refused as busy, ${found.faults.length} failed`,
  );
  appendFileSync(join(folder, 'samples.jsonl'), `${JSON.stringify(taken)}\n`);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/**
 * Returns the growth of a figure: the median of the last five minutes over that of five minutes from `since` on; null if the run was too
 * short.
 */
function growth(valueOf, since) {
  const early = samples.filter(({ minute: at }) => at >= since && at < since + 5).map(valueOf);
  const late = samples.filter(({ minute: at }) => at > minutes - 5).map(valueOf);
  return minutes < since + 10 ? null : median(late) / median(early);
}

const running = new Set();
const follow = (promise) => {
  const tracked = promise.catch(fault).finally(() => running.delete(tracked));
  running.add(tracked);
};
const start = performance.now();
const end = start + minutes * minute;
let ticks = 0;
for (let nextSample = start + minute; performance.now() < end; ticks++) {
  await sleep(Math.max(0, start + (1000 * ticks) / readsEverySecond - performance.now()));
  follow(read());
  found.reads++;
  if (ticks % readsEverySecond === 0) follow(annotate(found.annotations++));
  if (ticks % (memoryEverySeconds * readsEverySecond) === 0) memories.push(privateMemory(processes));
  if (performance.now() < nextSample) continue;
  follow(sample(Math.round((nextSample - start) / minute)));
  nextSample += minute;
}
await Promise.all(running);

const failures = found.faults.filter((text) => text !== '');
for (const text of failures.slice(0, 20)) console.log(text);
const judged = [
  ...Object.keys(samples[0].memory).map((role) => [
    `memory of ${role}`,
    growth(({ memory }) => memory[role], warmUpMinutes),
  ]),
  ...expiring.map((table) => [`rows of ${table}`, growth(({ rows }) => rows[table], expiryMinutes)]),
];
for (const [name, ratio] of judged)
  console.log(
    ratio === null ? `${name}: the run was too short to judge` : `${name}: ${ratio.toFixed(3)} times`,
  );
const grown = judged.filter(([, ratio]) => ratio !== null && ratio >= most);
if (grown.length > 0) console.log(`Grown by 5 % or more: ${grown.map(([name]) => name).join(', ')}`);
agent.destroy();
await database.end();
await service.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(grown.length > 0 || found.faults.length > 0 ? 1 : 0);
