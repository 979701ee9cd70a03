// Measures loading beside its limits: plain COPY of the same bytes, and reading the file through zlib.
//   node benchmarks/loading.bench.mjs [millions of GAF rows] [thousands of sequences] [thousands of vectors]
// The loads run in processes of their own. On a busy machine compare the CPU seconds: of the loading process, and of all processes of the
// server.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';
import { startEmbeddedPostgres } from '@kindred/server/run/embedded/postgres';
import { dropSet } from '@kindred/server/store/annotations/annotations.repository';
import { closeDatabase, inTransaction, openDatabase } from '@kindred/server/store/postgres/db';
import { migrate } from '@kindred/server/store/migrations/migrate';
import { keep } from './figures.mjs';
import { example, rowsPerCopy, writeFasta, writeGaf } from './loading-data.mjs';
import { endProcesses, inProcess, measured } from './loading-process.mjs';

const require = createRequire(new URL('../apps/server/package.json', import.meta.url));
const copyStreams = require('pg-copy-streams');
const dimension = 1024;
const runs = 3;
const sequenceKey = 'alter table plain add foreign key (sequence_id) references sequence (id)';

const english = (n) => Math.round(n).toLocaleString('en');
const url = (path) => pathToFileURL(path).href;
const sum = (...costs) => ({
  s: costs.reduce((total, cost) => total + cost.s, 0),
  clientS: costs.reduce((total, cost) => total + cost.clientS, 0),
  serverS: costs.reduce((total, cost) => total + cost.serverS, 0),
});
const median = (costs) => costs.toSorted((a, b) => a.s - b.s)[Math.floor(costs.length / 2)];
const cpuS = (cost) => cost.clientS + cost.serverS;

/**
 * Prints one line of the table; with `load` also the ratios of this cost to that of the load: 0.5 means that the load takes twice as
 * much.
 */
function line(label, n, cost, load) {
  const ratio = (of) => (of(cost) / of(load)).toFixed(2).padStart(8);
  const ratios = load === undefined ? '' : ratio((of) => of.s) + ratio((of) => of.serverS) + ratio(cpuS);
  const cells = [cost.s, cost.clientS, cost.serverS].map((value) => value.toFixed(2).padStart(8));
  console.log(`  ${label.padEnd(34)} ${english(n / cost.s).padStart(10)}/s ${cells.join('')} ${ratios}`);
}
const heading = (text) =>
  console.log(`${text}\n${' '.repeat(49)}   wall s  client  server | to wall  server all CPU`);

function throughZlib(server, path) {
  return measured(server.pid, async () => {
    for await (const _chunk of createReadStream(path).pipe(createGunzip({ chunkSize: 262_144 })));
  });
}

/** Writes a query's rows as COPY bytes to a file, then times plain COPY of them into a table made by `create`, by the median of three. */
async function plainCopy({ db, server, files }, query, create) {
  const file = join(files, 'rows.copy');
  const client = await db.pool.connect();
  try {
    const rows = client.query(copyStreams.to(`copy (${query}) to stdout (format binary)`));
    await pipeline(rows, createWriteStream(file));
    const costs = [];
    for (let run = 0; run < runs; run++) {
      await client.query(`drop table if exists plain; ${create}; checkpoint`);
      const copy = () =>
        pipeline(
          createReadStream(file, { highWaterMark: 262_144 }),
          client.query(copyStreams.from('copy plain from stdin (format binary)')),
        );
      costs.push(await measured(server.pid, copy));
    }
    return median(costs);
  } finally {
    client.release();
    await rm(file);
  }
}

/**
 * Returns the median of three loads, each after `clear` and a checkpoint. The rows of the last one stay. The first ones also make the log
 * files that plain COPY finds made.
 */
async function medianLoad({ db }, clear, load) {
  const costs = [];
  for (let run = 0; run < runs; run++) {
    await clear();
    await db.pool.query('checkpoint');
    costs.push(await load(run));
  }
  return median(costs);
}

async function annotations(place, millions) {
  const { db, server, files, task } = place;
  const copies = Math.max(1, Math.round((millions * 1e6) / rowsPerCopy));
  const insert = {
    operation: 'insertProteins',
    payload: { fasta_url: url(example('reference.fasta.gz')) },
  };
  await inProcess({ ...task, ...insert });
  const ontology = await inProcess({
    ...task,
    operation: 'loadOntologySnapshot',
    payload: { obo_url: url(example('go-basic-2022-07-01.obo.gz')) },
  });
  heading(`ontology: ${english(ontology.result.terms_inserted)} terms, peak ${ontology.peakMiB} MiB`);
  line('load', ontology.result.terms_inserted, ontology);
  // The statement makes proteins for the other copies, which share the sequences of the first one.
  await db.pool.query(`insert into protein (accession, canonical_accession, length, sequence_id)
    select p.accession || '.' || c, p.accession || '.' || c, p.length, p.sequence_id from protein p, generate_series(1, ${copies - 1}) c`);
  const gaf = join(files, 'large.gaf.gz');
  const bytes = await writeGaf(gaf, copies);
  const zlib = await throughZlib(server, gaf);
  const { ontology_snapshot_id } = ontology.result;
  const payload = { gaf_url: url(gaf), ontology_snapshot_id, source_version: 'bench' };
  const loadOnce = () => inProcess({ ...task, operation: 'loadGoaAnnotations', payload });
  const load = await medianLoad(place, () => dropSets(db), loadOnce);
  const n = load.result.annotations_inserted;
  const rows = 'select * from protein_go_annotation';
  const bare = await plainCopy(place, rows, 'create table plain (like protein_go_annotation)');
  const keyed = await plainCopy(
    place,
    rows,
    'create table plain (like protein_go_annotation including indexes)',
  );
  const again = await loadOnce();
  heading(
    `annotations: ${english(n)} rows of ${english(bytes / 1e6)} MB for ${english(load.result.proteins_annotated)} proteins, peak ${load.peakMiB} MiB`,
  );
  line(`load (${load.indexS.toFixed(1)} s of it index, attach)`, n, load);
  line('plain COPY, no index', n, bare, load);
  keep('share of plain COPY', cpuS(keyed) / cpuS(load), { rows: n, what: 'annotations' });
  line('plain COPY, same index', n, keyed, load);
  line('the file through zlib', n, zlib, load);
  line(`the same file again, skipped ${again.result.skipped}`, n, again);
}

async function sequences(place, thousands) {
  const { db, server, files, task } = place;
  const copies = Math.max(1, Math.round(thousands / 4));
  const fasta = join(files, 'large.fasta.gz');
  const bytes = await writeFasta(fasta, copies);
  const zlib = await throughZlib(server, fasta);
  const insert = { ...task, operation: 'insertProteins', payload: { fasta_url: url(fasta) } };
  const load = await medianLoad(
    place,
    () => db.pool.query('truncate protein, sequence cascade'),
    () => inProcess(insert),
  );
  const n = load.result.proteins_inserted;
  const both = async (like, keys = '') => {
    const costs = [];
    for (const table of ['sequence', 'protein']) {
      const create = `create table plain (like ${table} ${like}); ${table === 'protein' ? keys : ''}`;
      costs.push(await plainCopy(place, `select * from ${table} order by id`, create));
    }
    return sum(...costs);
  };
  const bare = await both('');
  const keyed = await both('including indexes');
  const equal = await both('including indexes', sequenceKey);
  const again = await inProcess(insert);
  heading(
    `sequences: ${english(n)} proteins, ${english(load.result.sequences_inserted)} distinct sequences, ${english(bytes / 1e6)} MB, peak ${load.peakMiB} MiB`,
  );
  line('load', n, load);
  line('plain COPY, both tables, no index', n, bare, load);
  keep('share of plain COPY', cpuS(keyed) / cpuS(load), { rows: n, what: 'proteins' });
  line('plain COPY, same 9 indexes', n, keyed, load);
  line('plain COPY, and the foreign key', n, equal, load);
  line('the file through zlib', n, zlib, load);
  line(`again, unchanged: ${again.result.proteins_unchanged === n}`, n, again);
}

async function vectors(place, thousands) {
  const { db, task } = place;
  await db.pool.query('truncate protein, sequence cascade');
  const { rows: ids } = await db.pool.query(
    `insert into sequence (sequence, sequence_md5, length) select 'A', md5(n::text), 1 from generate_series(1, ${1000 * thousands}) n returning id`,
  );
  const { rows: configs } = await db.pool.query(
    `insert into embedding_config (model_name, model_backend, layer_indices, layer_agg, pooling, normalize_residues, normalize, max_length, use_chunking, chunk_size, chunk_overlap, dimension)
     values ('bench', 'bench', '{0}', 'mean', 'mean', false, false, 1024, false, 512, 64, ${dimension}) returning number`,
  );
  const batch = {
    configNumber: configs[0].number,
    sequenceIds: ids.map((row) => row.id),
    dimension,
  };
  await db.pool.query('analyze sequence');
  const load = await medianLoad(
    place,
    () => db.pool.query('truncate sequence_embedding cascade'),
    () => inProcess({ ...task, vectors: batch }),
  );
  const n = load.result.stored;
  const rows = 'select * from sequence_embedding';
  const like = 'create table plain (like sequence_embedding including storage';
  const bare = await plainCopy(place, rows, `${like})`);
  const keyed = await plainCopy(place, rows, `${like} including indexes)`);
  const configKey =
    'alter table plain add foreign key (embedding_config_number) references embedding_config (number)';
  const equal = await plainCopy(place, rows, `${like} including indexes); ${sequenceKey}; ${configKey}`);
  heading(`vectors: ${english(n)} x ${dimension} float16, peak ${load.peakMiB} MiB with all of them`);
  line('store, 1,000 a transaction', n, load);
  line('plain COPY, no index', n, bare, load);
  keep('share of plain COPY', cpuS(keyed) / cpuS(load), { rows: n, what: 'vectors' });
  line('plain COPY, same 2 indexes', n, keyed, load);
  line('plain COPY, and the foreign keys', n, equal, load);
}

async function dropSets(db) {
  const { rows } = await db.pool.query('select number from annotation_set');
  for (const { number } of rows) await inTransaction(db, (trx) => dropSet(trx, number));
}

/** Makes a function that ends a server and removes its folder once, also if the benchmark is interrupted. */
function cleaner(folder, starting) {
  let cleaning;
  const clean = () => {
    cleaning ??= (async () => {
      endProcesses();
      const server = await starting.catch(() => undefined);
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    })();
    return cleaning;
  };
  for (const [signal, code] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])) {
    process.once(signal, () => void clean().finally(() => process.exit(code)));
  }
  return clean;
}

async function main() {
  const [millions = '1', thousands = '40', thousandVectors = '50'] = process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), 'kindred-loading-'));
  const files = join(folder, 'files');
  const starting = startEmbeddedPostgres(join(folder, 'pg'));
  const clean = cleaner(folder, starting);
  let db;
  try {
    await mkdir(files);
    const server = await starting;
    db = openDatabase(server.url, 3);
    await migrate(db);
    const task = { url: server.url, serverPid: server.pid, folder: files };
    const place = { db, server, files, task };
    console.log(
      'To wall, server, all CPU: seconds of the limit to those of the load; at 0.5 the load takes twice as long.\n',
    );
    if (Number(millions) > 0) await annotations(place, Number(millions));
    if (Number(thousands) > 0) await sequences(place, Number(thousands));
    if (Number(thousandVectors) > 0) await vectors(place, Number(thousandVectors));
  } finally {
    if (db !== undefined) await closeDatabase(db);
    await clean();
  }
}

await main();
