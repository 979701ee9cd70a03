// Measures how cost grows: processor time and memory of answers by references and by queries, and of an evaluation by predictions.
//
//   node benchmarks/growth.bench.mjs [--short] [--only references,queries,predictions] [--most SIZE] [--write]
//
// References and queries need the folders of KINDRED_SHARED and KINDRED_SWISSPROT (see README.md). A whole run takes about an hour and
// 6 GB in the temporary folder; --most leaves out the sizes above it. --write keeps the figures in growth.json, from which `npm run gen`
// draws the pictures of docs/explanation/performance.md.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadNative } from '@kindred/native';
import { writeCase } from './evaluation-case.mjs';
import { measureEvaluation } from './evaluation-run.mjs';
import { keep } from './figures.mjs';
import { findData } from './peers.mjs';

/**
 * One size: the number of references, queries or predictions, the processor time and the memory.
 * @typedef {{ size: number; milliseconds: number; mib: number }} Point
 */

const sizes = {
  references: { short: [4_000], whole: [4_000, 20_000, 100_000, 516_371] },
  queries: { short: [1, 10, 100], whole: [1, 10, 100, 1_000, 10_000, 50_000] },
  predictions: {
    short: [200_000, 1_000_000],
    whole: [200_000, 1_000_000, 4_000_000, 20_000_000, 100_000_000],
  },
};
/** The number of queries at each number of references, and the number of references for each number of queries. */
const queriesBeside = 200;
const referencesBeside = { short: 4_000, whole: 100_000 };
const predictionsOfProtein = 200;

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: Object.keys(sizes).join(',') },
    most: { type: 'string', default: 'Infinity' },
    write: { type: 'boolean', default: false },
  },
});
const chosen = options.only.split(',');
const unknown = chosen.filter((name) => !(name in sizes));
if (unknown.length > 0) {
  console.error(`--only has ${unknown.join(', ')}; give some of ${Object.keys(sizes).join(', ')}.`);
  process.exit(64);
}
const most = Number(options.most);
if (!(most >= 1)) {
  console.error(`--most is ${options.most}; give a number from 1.`);
  process.exit(64);
}
const length = options.short ? 'short' : 'whole';
const sizesOf = (name) => sizes[name][length].filter((size) => size <= most);
const file = fileURLToPath(new URL('growth.json', import.meta.url));

/** Runs growth-process.mjs and returns what it prints. */
async function answers(folders, references, queries) {
  const script = fileURLToPath(new URL('growth-process.mjs', import.meta.url));
  const swissprot = (name) => join(folders.swissprot, `swissprot-2014-01${name}`);
  const args = [folders.shared, swissprot('.fasta'), swissprot('-go.tsv'), references, queries].map(String);
  const child = spawn(process.execPath, ['--expose-gc', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const found = [];
  for await (const line of createInterface({ input: child.stdout })) found.push(JSON.parse(line));
  const code = await ended;
  if (code !== 0) throw new Error(`growth-process.mjs ended with ${code}; see above`);
  return found;
}

const measures = {
  /** @returns {Promise<Point[]>} with the time of one query */
  async references(folders) {
    const points = [];
    for (const references of sizesOf('references')) {
      const [found] = await answers(folders, references, queriesBeside);
      points.push(
        shown({ size: found.references, milliseconds: found.milliseconds / found.queries, mib: found.mib }),
      );
      keep('milliseconds a query', found.milliseconds / found.queries, { references: found.references });
    }
    return points;
  },
  /** @returns {Promise<Point[]>} with the time of all queries */
  async queries(folders) {
    const found = await answers(folders, referencesBeside[length], sizesOf('queries').join(','));
    return found.map(({ queries, milliseconds, mib }) => {
      keep('milliseconds of all queries', milliseconds, { queries });
      return shown({ size: queries, milliseconds, mib });
    });
  },
  /** @returns {Promise<Point[]>} with the time of all predictions */
  async predictions() {
    const points = [];
    for (const predictions of sizesOf('predictions')) {
      const folder = mkdtempSync(join(tmpdir(), 'kindred-growth-'));
      try {
        await writeCase(folder, { proteins: predictions / predictionsOfProtein, predictions });
        const { cpu, peak } = await measureEvaluation(folder, { step: '0.01', outDir: join(folder, 'out') });
        points.push(shown({ size: predictions, milliseconds: cpu * 1000, mib: peak }));
        keep('milliseconds of all predictions', cpu * 1000, { predictions });
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
    return points;
  },
};

/** Prints a point, rounded as it is kept. */
function shown({ size, milliseconds, mib }) {
  const point = { size, milliseconds: Number(milliseconds.toPrecision(4)), mib: Math.round(mib) };
  console.log(
    `${size.toLocaleString('en').padStart(14)} ${point.milliseconds.toLocaleString('en').padStart(14)} processor ms ${String(point.mib).padStart(8)} MiB`,
  );
  return point;
}

function readKept() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

const { folders, missing } = findData();
const instructions = loadNative()?.instructions ?? 'no addon';
for (const name of chosen) {
  const lacking = name === 'predictions' ? [] : ['shared', 'swissprot'].filter((data) => missing.has(data));
  if (lacking.length > 0) {
    console.log(`${name}: left out: ${lacking.map((data) => missing.get(data)).join('; ')}`);
    continue;
  }
  console.log(`${name}:`);
  const load = Number(loadavg()[0].toFixed(1));
  const points = await measures[name](folders);
  if (!options.write) continue;
  const beside = name === 'references' ? queriesBeside : name === 'queries' ? referencesBeside[length] : null;
  const machine = { processor: cpus()[0]?.model ?? 'unknown', instructions, load };
  writeFileSync(
    file,
    `${JSON.stringify({ ...readKept(), [name]: { ...machine, beside, points } }, null, 2)}\n`,
  );
}
if (options.write) console.log(`The figures are in ${file}; npm run gen draws them.`);
