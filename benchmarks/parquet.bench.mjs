// Writing a training dataset: rows x 62 columns through the labelled groups and the Parquet writer into the local store,
// beside DuckDB's COPY of the same table, with the largest memory of each process.
//
//   node benchmarks/parquet.bench.mjs [--rows 1000000]
//   KINDRED_PEERS_PYTHON=/path/to/python adds a read with pyarrow: types, nulls and sums are compared.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = process.argv.indexOf('--rows');
const rows = at < 0 ? 1_000_000 : Number(process.argv[at + 1]);
const folder = mkdtempSync(join(tmpdir(), 'kindred-parquet-'));
const own = fileURLToPath(new URL('./parquet-process.mjs', import.meta.url));

function child(kind) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [own, kind, folder, String(rows)], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${kind} failed: ${stderr}`);
  return JSON.parse(stdout);
}

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
try {
  const kindred = child('kindred');
  const size = statSync(kindred.path).size;
  console.log(
    `  kindred  ${rows} rows x ${kindred.columns}: ${kindred.seconds.toFixed(1)} CPU-seconds, peak ${megabytes(kindred.peakBytes)}, file ${megabytes(size)}`,
  );
  if (kindred.peakBytes > 2 ** 30) throw new Error('more than 1 GiB');
  const duckdb = child('duckdb');
  console.log(
    `  DuckDB   COPY of the table that it read from this file: ${duckdb.seconds.toFixed(1)} CPU-seconds, peak ${megabytes(duckdb.peakBytes)}, file ${megabytes(duckdb.sizeBytes)}`,
  );
  for (const [name, value] of Object.entries(kindred.sums))
    if (Math.abs(duckdb.sums[name] - value) > 1e-9 * Math.abs(value))
      throw new Error(`${name}: wrote ${value}, DuckDB read ${duckdb.sums[name]}`);
  console.log(`  DuckDB   reads equal sums and null counts of ${Object.keys(kindred.sums).length} figures`);
  const python = process.env.KINDRED_PEERS_PYTHON;
  if (python) {
    const script = fileURLToPath(new URL('./parquet-peers.py', import.meta.url));
    const { status, stdout, stderr } = spawnSync(python, [script, kindred.path], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    const pyarrow = JSON.parse(stdout);
    for (const [name, value] of Object.entries(kindred.sums))
      if (Math.abs(pyarrow.sums[name] - value) > 1e-9 * Math.abs(value))
        throw new Error(`${name}: wrote ${value}, pyarrow read ${pyarrow.sums[name]}`);
    console.log(`  pyarrow  ${pyarrow.version} reads the same; types: ${pyarrow.types}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
