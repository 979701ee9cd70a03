// Loading beside its limits: plain COPY of the same bytes into a table without index, and reading the file through zlib.
// Usage: node benchmarks/loading.bench.mjs [millions of GAF rows] [thousands of sequences]
// The loads run in processes of their own, whose CPU time and peak memory are printed: on a busy machine compare the CPU times.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';
import { operationRows } from '@kindred/contracts';
import { startEmbeddedPostgres } from '@kindred/server/embedded/postgres';
import { insertProteins } from '@kindred/server/operations/insert-proteins';
import { loadGoaAnnotations } from '@kindred/server/operations/load-goa-annotations';
import { loadOntologySnapshot } from '@kindred/server/operations/load-ontology-snapshot';
import { createSourceOpener } from '@kindred/server/sources/opener';
import { closeDatabase, openDatabase } from '@kindred/server/store/db';
import { migrate } from '@kindred/server/store/migrate';
import { plugin as goa } from '@kindred/source-goa';
import { example, rowsPerCopy, writeFasta, writeGaf } from './loading-data.mjs';

const require = createRequire(new URL('../apps/server/package.json', import.meta.url));
const copyStreams = require('pg-copy-streams');
const operations = { insertProteins, loadGoaAnnotations, loadOntologySnapshot };

const rate = (n, seconds) =>
  `${Math.round(n / seconds)
    .toLocaleString('en')
    .padStart(9)}/s`;
const seconds = async (run) => {
  const start = performance.now();
  const value = await run();
  return { value, s: (performance.now() - start) / 1000 };
};

/** In the child: one operation, as a worker runs it. */
async function child({ url, folder, operation, payload }) {
  const db = openDatabase(url, 5);
  const times = {};
  const context = {
    db,
    sources: createSourceOpener({ importDirs: [folder, example('.')], allowedHosts: [] }),
    plugins: { source: () => goa.load() },
    jobId: randomUUID(),
    signal: new AbortController().signal,
    emit: async (event) => {
      times[event.split('.').pop()] = performance.now();
    },
    progress: async () => {},
  };
  const { name, run } = operations[operation];
  const parsed = operationRows.find((row) => row.name === name).payload.parse(payload);
  const before = process.cpuUsage();
  const { value, s } = await seconds(() => run(parsed, context));
  const { user, system } = process.cpuUsage(before);
  await closeDatabase(db);
  const indexS = (times.done - (times.index_start ?? times.done)) / 1000;
  process.send({
    result: value.result,
    s,
    indexS,
    cpuS: (user + system) / 1e6,
    peakKiB: process.resourceUsage().maxRSS,
  });
}

function inChild(task) {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(import.meta.url), ['--child']);
    worker.once('message', resolve);
    worker.once('exit', (code) => reject(new Error(`the loading process ended with ${code}`)));
    worker.send(task);
  });
}

const throughZlib = (path) =>
  seconds(async () => {
    for await (const _chunk of createReadStream(path).pipe(createGunzip({ chunkSize: 262_144 })));
  });

/** Writes a query's rows as COPY bytes to a file, then times plain COPY of them into a table made by `create`. */
async function plainCopy(db, folder, { query, create }) {
  const file = join(folder, 'rows.copy');
  const client = await db.pool.connect();
  try {
    await pipeline(
      client.query(copyStreams.to(`copy (${query}) to stdout (format binary)`)),
      createWriteStream(file),
    );
    await client.query(`drop table if exists plain; ${create}; checkpoint`);
    const copy = () =>
      pipeline(
        createReadStream(file, { highWaterMark: 262_144 }),
        client.query(copyStreams.from('copy plain from stdin (format binary)')),
      );
    return (await seconds(copy)).s;
  } finally {
    client.release();
    await rm(file);
  }
}

async function annotations(db, url, folder, millions) {
  const copies = Math.max(1, Math.round((millions * 1e6) / rowsPerCopy));
  const task = { url, folder };
  const obo = pathToFileURL(example('go-basic-2022-07-01.obo.gz')).href;
  await inChild({
    ...task,
    operation: 'insertProteins',
    payload: { fasta_url: pathToFileURL(example('reference.fasta.gz')).href },
  });
  const ontology = await inChild({ ...task, operation: 'loadOntologySnapshot', payload: { obo_url: obo } });
  console.log(
    `ontology                 ${ontology.result.terms_inserted.toLocaleString('en')} terms in ${ontology.s.toFixed(1)} s, peak ${Math.round(ontology.peakKiB / 1024)} MiB`,
  );
  // Proteins for the other copies; they share the sequences of the first.
  await db.pool.query(`insert into protein (accession, canonical_accession, length, sequence_id)
    select p.accession || '.' || c, p.accession || '.' || c, p.length, p.sequence_id from protein p, generate_series(1, ${copies - 1}) c`);
  const gaf = join(folder, 'large.gaf.gz');
  const bytes = await writeGaf(gaf, copies);
  const zlib = await throughZlib(gaf);
  const payload = {
    gaf_url: pathToFileURL(gaf).href,
    ontology_snapshot_id: ontology.result.ontology_snapshot_id,
    source_version: 'bench',
  };
  const load = await inChild({ ...task, operation: 'loadGoaAnnotations', payload });
  const n = load.result.annotations_inserted;
  const copyS = await plainCopy(db, folder, {
    query: 'select * from protein_go_annotation',
    create: 'create table plain (like protein_go_annotation)',
  });
  const again = await inChild({ ...task, operation: 'loadGoaAnnotations', payload });
  const mb = (s) => `${(bytes / 1e6 / s).toFixed(0)} MB/s`;
  console.log(
    `annotations              ${n.toLocaleString('en')} rows of ${(bytes / 1e6).toFixed(0)} MB, ${load.result.proteins_annotated.toLocaleString('en')} proteins`,
  );
  console.log(
    `  load, all of it        ${rate(n, load.s)}  ${load.s.toFixed(1)} s, of which ${load.indexS.toFixed(1)} s index and attachment; ${load.cpuS.toFixed(1)} s CPU, peak ${Math.round(load.peakKiB / 1024)} MiB`,
  );
  console.log(
    `  plain COPY             ${rate(n, copyS)}  ratio ${(copyS / load.s).toFixed(2)}, without the index ${(copyS / (load.s - load.indexS)).toFixed(2)}`,
  );
  console.log(
    `  through zlib           ${rate(n, zlib.s)}  ${mb(zlib.s)}, ratio ${(zlib.s / load.s).toFixed(2)}`,
  );
  console.log(
    `  the same file again    ${rate(n, again.s)}  ${mb(again.s)}, skipped: ${again.result.skipped}`,
  );
}

async function sequences(db, url, folder, thousands) {
  const copies = Math.max(1, Math.round(thousands / 4));
  const fasta = join(folder, 'large.fasta.gz');
  await db.pool.query('truncate protein, sequence cascade');
  await writeFasta(fasta, copies);
  const zlib = await throughZlib(fasta);
  const task = { url, folder, operation: 'insertProteins' };
  const load = await inChild({ ...task, payload: { fasta_url: pathToFileURL(fasta).href } });
  const n = load.result.proteins_inserted;
  const query = 'select * from sequence order by id';
  const bare = await plainCopy(db, folder, { query, create: 'create table plain (like sequence)' });
  const keyed = await plainCopy(db, folder, {
    query,
    create: 'create table plain (like sequence including indexes)',
  });
  const proteins = 'select * from protein order by id';
  const bareP = await plainCopy(db, folder, { query: proteins, create: 'create table plain (like protein)' });
  const keyedP = await plainCopy(db, folder, {
    query: proteins,
    create: 'create table plain (like protein including indexes)',
  });
  const again = await inChild({ ...task, payload: { fasta_url: pathToFileURL(fasta).href } });
  console.log(`sequences                ${n.toLocaleString('en')} proteins, as many distinct sequences`);
  console.log(
    `  load                   ${rate(n, load.s)}  ${load.s.toFixed(1)} s; ${load.cpuS.toFixed(1)} s CPU, peak ${Math.round(load.peakKiB / 1024)} MiB`,
  );
  console.log(
    `  plain COPY             ${rate(n, bare + bareP)}  both tables without index, ratio ${((bare + bareP) / load.s).toFixed(2)}`,
  );
  console.log(
    `  COPY, indexed          ${rate(n, keyed + keyedP)}  both tables with the same indexes, ratio ${((keyed + keyedP) / load.s).toFixed(2)}`,
  );
  console.log(`  through zlib           ${rate(n, zlib.s)}  ratio ${(zlib.s / load.s).toFixed(2)}`);
  console.log(
    `  the same file again    ${rate(n, again.s)}  unchanged: ${again.result.proteins_unchanged === n}`,
  );
}

async function main() {
  const [millions = '1', thousands = '40'] = process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), 'kindred-loading-'));
  const files = join(folder, 'files');
  await mkdir(files);
  const server = await startEmbeddedPostgres(join(folder, 'pg'));
  const db = openDatabase(server.url, 3);
  try {
    await migrate(db);
    await annotations(db, server.url, files, Number(millions));
    await sequences(db, server.url, files, Number(thousands));
  } finally {
    await closeDatabase(db);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === '--child')
  process.once('message', (task) => void child(task).then(() => process.disconnect()));
else await main();
