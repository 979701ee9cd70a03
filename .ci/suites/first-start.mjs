// Measures the figures of the first start in README, with a checkout that was never installed and an empty cache of npm, from `npm start`
// to the first answer. The figures are time, memory (the largest sum of what all processes have for themselves, sampled), disk, and
// downloaded bytes.
//   node .ci/suites/first-start.mjs [--busy] [--readme README.md]
// The script needs a machine without other work, and refuses a busy one unless `--busy` says that the figures are thrown away.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sets } from '../../tools/install.mjs';
import { copyCheckout, run, World } from './environments-world.mjs';

const { values } = parseArgs({
  options: { busy: { type: 'boolean', default: false }, readme: { type: 'string', default: 'README.md' } },
});
const [begin, end] = ['<!-- figures of .ci/suites/first-start.mjs -->', '<!-- end of the figures -->'];

async function sizeOf(folder) {
  return Number((await run(['du', '--summarize', '--bytes', folder])).split('\t')[0]);
}

/** Returns the memory that only these processes have, plus their shares of the memory that they have together. */
function memoryOf(processes) {
  const kilobytes = processes.map((line) => {
    try {
      const rollup = readFileSync(`/proc/${Number.parseInt(line, 10)}/smaps_rollup`, 'utf8');
      return Number(/^Pss: +(\d+)/m.exec(rollup)?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
}

/** @throws Error if the start states less than is downloaded or written */
function checkSaid({ downloadedBytes, packageBytes }) {
  const { download, disk } = sets.service;
  if (downloadedBytes > download * 1e6 || packageBytes > disk * 1e6)
    throw new Error(
      `npm start announces ${download} MB of downloads and ${disk} MB of packages (tools/install.mjs); they are ${Math.round(downloadedBytes / 1e6)} and ${Math.round(packageBytes / 1e6)} MB`,
    );
}

async function measure(folder) {
  const [clone, dataDir, cache] = ['clone', 'data', 'npm'].map((name) => join(folder, name));
  await copyCheckout(clone, { whole: false });
  const checkoutBytes = await sizeOf(clone);
  const world = new World(clone, dataDir, { env: { npm_config_cache: cache, SVC_LOAD_EXAMPLES: undefined } });
  const started = performance.now();
  let memoryBytes = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      memoryBytes = Math.max(memoryBytes, memoryOf(world.processes()));
      await sleep(250);
    }
  })();
  try {
    world.start();
    await world.ready();
    await world.annotate();
    const seconds = (performance.now() - started) / 1000;
    // The size counts everything that a later start needs, too.
    const diskBytes = (await sizeOf(clone)) + (await sizeOf(dataDir)) - checkoutBytes;
    const downloadedBytes = await sizeOf(join(cache, '_cacache', 'content-v2'));
    const packageBytes = await sizeOf(join(clone, 'node_modules'));
    checkSaid({ downloadedBytes, packageBytes });
    world.signal('SIGINT');
    await world.gone();
    return { seconds, memoryBytes, diskBytes, packageBytes, downloadedBytes };
  } finally {
    isOver = true;
    await watching;
    await World.killAll();
  }
}

function words({ seconds, memoryBytes, diskBytes, packageBytes, downloadedBytes }) {
  const megabytes = (bytes) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
  const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return `On ${cpus().length} cores without other work the first answer comes after ${Math.round(seconds)} s, with at most ${megabytes(memoryBytes)} of memory, ${megabytes(diskBytes)} of disk, ${megabytes(packageBytes)} of them
packages, and ${megabytes(downloadedBytes)} of downloads (Node ${process.versions.node}, ${day}).`;
}

if (!values.busy && loadavg()[0] > 0.5) {
  console.error(
    `The machine is busy (load ${loadavg()[0].toFixed(1)}): wait, or try the script with --busy --readme FILE.`,
  );
  process.exit(75);
}
const readme = readFileSync(values.readme, 'utf8');
const [before, rest] = readme.split(begin);
const after = rest?.split(end)[1];
if (after === undefined) throw new Error(`${values.readme} has no place for the figures`);
const folder = mkdtempSync(join(tmpdir(), 'first-start-'));
chmodSync(folder, 0o755);
try {
  const sentence = words(await measure(folder));
  writeFileSync(values.readme, `${before}${begin}\n${sentence}\n${end}${after}`);
  console.log(sentence);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
