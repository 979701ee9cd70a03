// The loads of the loading benchmark, each in a process of its own as a worker runs it, and the meters for its cost.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { operationRows } from '@kindred/contracts/operations';
import { insertProteins } from '@kindred/server/load/insert-proteins';
import { loadGoaAnnotations } from '@kindred/server/load/load-goa-annotations';
import { loadOntologySnapshot } from '@kindred/server/load/load-ontology-snapshot';
import { createSourceOpener } from '@kindred/server/ground/sources/opener';
import { closeDatabase, inTransaction, openDatabase } from '@kindred/server/store/postgres/connection';
import { storeEmbeddings } from '@kindred/server/store/embeddings/embeddings.repository';
import { plugin as goa } from '@kindred/source-goa';
import { example, vectorBatches } from './loading-data.mjs';

const operations = { insertProteins, loadGoaAnnotations, loadOntologySnapshot };
const isChild = process.argv[2] === '--loading-process';
const ticksPerSecond = 100;

/** Returns the CPU seconds of a server with all its processes, also those that ended (Linux; NaN elsewhere). */
function serverCpuS(pid) {
  if (process.platform !== 'linux') return Number.NaN;
  const fieldsOf = (process) => {
    const text = readFileSync(`/proc/${process}/stat`, 'latin1');
    // The text is cut at the state, which is field 3 of proc(5), so the parent is at 1, and the times are at 11 to 14.
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  };
  const own = fieldsOf(pid);
  let ticks = own[11] + own[12] + own[13] + own[14];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = fieldsOf(name);
      if (fields[1] === pid) ticks += fields[11] + fields[12];
    } catch {
      // The error is ignored, because the process ended meanwhile.
    }
  }
  return ticks / ticksPerSecond;
}

/**
 * Runs `work`, and returns its value, the wall seconds, and the CPU seconds of this process (`clientS`) and of the server (`serverS`).
 */
export async function measured(serverPid, work) {
  const server = serverCpuS(serverPid);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const s = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  // The pause is needed, because a backend accounts for its last tick a moment later.
  await sleep(50);
  return { value, s, clientS: (user + system) / 1e6, serverS: serverCpuS(serverPid) - server };
}

const running = new Set();

/**
 * Runs a task in a process of its own. `task` is `{ url, serverPid, folder }` with `operation` and `payload`, or with `vectors: {
 * configNumber, sequenceIds, dimension }`.
 */
export function inProcess(task) {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(import.meta.url), ['--loading-process']);
    running.add(worker);
    worker.once('message', resolve);
    worker.once('exit', (code) => {
      running.delete(worker);
      reject(new Error(`the loading process ended with ${code}`));
    });
    worker.send(task);
  });
}

export function endProcesses() {
  for (const worker of running) worker.kill('SIGKILL');
}

async function runOperation(db, { serverPid, folder, operation, payload }) {
  const times = {};
  const context = {
    db,
    sources: createSourceOpener({ importDirs: [folder, example('.')], allowedHosts: [] }),
    plugins: { source: () => goa.load({ dataDir: folder, settings: {} }) },
    jobId: randomUUID(),
    signal: new AbortController().signal,
    emit: async (event) => {
      times[event.split('.').pop()] = performance.now();
    },
    progress: async () => {},
  };
  const { name, run } = operations[operation];
  const parsed = operationRows.find((row) => row.name === name).payload.parse(payload);
  const { value, ...cost } = await measured(serverPid, () => run(parsed, context));
  const indexS = (times.done - (times.index_start ?? times.done)) / 1000;
  return { result: value.result, indexS, ...cost };
}

/** Writes vectors, which are at hand before the clock starts. Each batch is one transaction, like one message to the writer. */
async function runVectors(db, { serverPid, vectors: { configNumber, sequenceIds, dimension } }) {
  const batches = vectorBatches(sequenceIds, dimension);
  const { value, ...cost } = await measured(serverPid, async () => {
    let stored = 0;
    for (const batch of batches) {
      const counts = await inTransaction(db, (trx) => storeEmbeddings(trx, configNumber, batch, false));
      stored += counts.stored;
    }
    return stored;
  });
  return { result: { stored: value }, ...cost };
}

async function child(task) {
  const db = openDatabase(task.url, 5);
  await db.pool.query('select 1');
  const answer = task.vectors === undefined ? await runOperation(db, task) : await runVectors(db, task);
  await closeDatabase(db);
  process.send({ ...answer, peakMiB: Math.round(process.resourceUsage().maxRSS / 1024) });
}

if (isChild) process.once('message', (task) => void child(task).then(() => process.disconnect()));
