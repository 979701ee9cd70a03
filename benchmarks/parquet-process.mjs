// One writer in a process of its own, so that its largest memory is its own: node parquet-process.mjs kindred|duckdb folder rows
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

/** Batches as an export makes them, of seeded numbers; a tenth of the nullable values is null. */
async function kindred() {
  const { categoryFeatures, numericFeatures } = await import('@kindred/kernels/features');
  const { Random } = await import('@kindred/kernels/arrays');
  const { createLocalArtifacts } = await import('@kindred/server/artifacts/local');
  const { datasetColumns } = await import('@kindred/server/operations/dataset-columns');
  const { GroupBuilder } = await import('@kindred/server/operations/dataset-groups');
  const { parquetBytes } = await import('@kindred/server/operations/parquet-stream');
  const random = new Random(1);
  const size = 20_000;
  const typeOf = new Map(datasetColumns.map((column) => [column.name, column]));
  const sums = { label: 0 };
  const accessions = Array.from({ length: 250 }, (_, i) => `P${String(10_000 + i)}`);
  const bank = { texts: { accessions: Array.from({ length: 500 }, (_, i) => `Q${String(20_000 + i)}`) } };
  const goIds = Array.from({ length: 5000 }, (_, i) => `GO:${String(i * 7).padStart(7, '0')}`);
  const column = (name, count) => {
    const { type, nullable } = typeOf.get(name);
    const values = Float32Array.from({ length: count }, () => {
      const value = random.uint32() / 2 ** 32;
      if (nullable && random.uint32() % 10 === 0) return Number.NaN;
      return type === 'FLOAT' ? value : type === 'INT32' ? Math.floor(value * 500) : Number(value < 0.5);
    });
    for (const value of values) {
      if (Number.isNaN(value)) sums[`${name} nulls`] = (sums[`${name} nulls`] ?? 0) + 1;
      else sums[name] = (sums[name] ?? 0) + value;
    }
    return values;
  };
  const texts = {
    qualifier: ['enables', 'involved_in', null],
    evidence_code: ['IDA', 'IEA', 'IPI'],
    aspect: ['bpo', 'mfo', 'cco'],
  };
  let cpu = 0;
  async function* groups() {
    const builder = new GroupBuilder();
    for (let done = 0; done < rowCount; done += size) {
      const count = Math.min(size, rowCount - done);
      const made = cpuNow();
      const pick = (list) => Array.from({ length: count }, () => list[random.uint32() % list.length]);
      const label = Int32Array.from({ length: count }, () => Number(random.uint32() % 12 === 0));
      for (const value of label) sums.label += value;
      const rows = {
        rowCount: count,
        numbers: Object.fromEntries(numericFeatures.map((name) => [name, column(name, count)])),
        categories: Object.fromEntries(categoryFeatures.map((name) => [name, pick(texts[name] ?? [null])])),
        query: Int32Array.from({ length: count }, (_, i) => i % accessions.length),
        reference: Int32Array.from({ length: count }, (_, i) => i % 500),
      };
      const labelled = {
        place: Int32Array.from({ length: count }, (_, i) => i),
        label,
        category: pick(['nk', 'lk', 'pk']),
        goId: pick(goIds),
      };
      cpu += cpuNow() - made;
      yield* builder.add({ rows, labelled, accessions, bank, snapshotPair: 'v220-v226' });
    }
    yield builder.take();
  }
  const store = createLocalArtifacts(folder);
  const { uri } = await store.put('train.parquet', parquetBytes(datasetColumns, groups(), 'bench'));
  const seconds = (cpuNow() - started - cpu) / 1000;
  return { path: fileURLToPath(uri), columns: datasetColumns.length, sums, seconds };
}

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const { datasetColumns } = await import('@kindred/server/operations/dataset-columns');
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
