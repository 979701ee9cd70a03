// Runs one writer in a separate process, to measure its peak memory: node parquet-process.mjs kindred|duckdb folder rows
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [kind, folder, rowText] = process.argv.slice(2);
const rowCount = Number(rowText);
/** Processor milliseconds of this process so far, all threads: the machine may be busy with other things. */
const cpuNow = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const started = cpuNow();
const figures = kind === 'kindred' ? await kindred() : await duckdb();
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(
  JSON.stringify({ ...figures, seconds: figures.seconds ?? (cpuNow() - started) / 1000, peakBytes }),
);

async function kindred() {
  const { createLocalArtifacts } = await import('@kindred/server/artifacts/local');
  const { datasetColumns } = await import('@kindred/server/operations/datasets/dataset-columns');
  const { GroupBuilder } = await import('@kindred/server/operations/datasets/dataset-groups');
  const { parquetBytes } = await import('@kindred/server/operations/datasets/parquet-stream');
  const { labelledBatches } = await import('./parquet-data.mjs');
  const sums = {};
  let making = 0;
  async function* groups() {
    const builder = new GroupBuilder();
    const batches = labelledBatches(rowCount, datasetColumns, sums);
    for (;;) {
      const before = cpuNow();
      const next = batches.next();
      making += cpuNow() - before;
      if (next.done === true) break;
      yield* builder.add(next.value);
    }
    yield builder.take();
  }
  const store = createLocalArtifacts(folder);
  const { uri } = await store.put('train.parquet', parquetBytes(datasetColumns, groups(), 'bench'));
  const seconds = (cpuNow() - started - making) / 1000;
  return { path: fileURLToPath(uri), columns: datasetColumns.length, sums, seconds };
}

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const { datasetColumns } = await import('@kindred/server/operations/datasets/dataset-columns');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`create table t as select * from '${join(folder, 'train.parquet')}'`);
  const before = cpuNow();
  const path = join(folder, 'duckdb.parquet');
  await connection.run(`copy t to '${path}' (format parquet, compression snappy)`);
  const seconds = (cpuNow() - before) / 1000;
  const sums = {};
  for (const { name, type } of datasetColumns.filter((column) => column.type !== 'STRING')) {
    const value = type === 'BOOLEAN' ? `"${name}"::int` : `"${name}"::double`;
    const [row] = (
      await connection.runAndReadAll(`select sum(${value}) s, count(*) - count("${name}") n from t`)
    ).getRowObjectsJson();
    sums[name] = Number(row.s);
    if (Number(row.n) > 0) sums[`${name} nulls`] = Number(row.n);
  }
  const { statSync } = await import('node:fs');
  return { seconds, sums, sizeBytes: statSync(path).size };
}
