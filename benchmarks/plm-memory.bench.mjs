// Memory and start of a language model in several worker processes: each with its own copy of the weights, and with one copy for all.
//
//   node benchmarks/plm-memory.bench.mjs [--size 8m|150m|650m] [--processes 2] [--int8 output|block] [--folder DIR]
//
// A model of that shape with random weights is written into the folder (a temporary one by default; 650m takes 2.6 GB there). A smaller
// one, and int8 weights, take twice their size more for the shared copy; 650m in float32 is mapped from its own file, private or
// shared. Proportional set size counts a page that n processes share as 1/n (Linux only). The first answer is that for a protein of
// 120 residues; its processor time moves less with other load than its wall time. The peak is the largest resident size of one process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openModel, readModelFolder } from '../plugins/backend-plm/dist/models/folder.js';
import { recipe, writeModel } from './plm-data.mjs';

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '150m' },
    processes: { type: 'string', default: '2' },
    int8: { type: 'string' },
    folder: { type: 'string' },
    child: { type: 'string' },
  },
});
const sequence =
  'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKRQTLGQHDFSAGEGLYTHMKALRPDEDRLSPLHSVYVDQWDWE';
if (options.child === undefined) await parent();
else await child(options.folder, options.child === 'shared');

async function parent() {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'kindred-plm-memory-'));
  const model = join(folder, writeModel(folder, options.size));
  // Whoever comes first writes the shared copy: not part of the start of a worker.
  const warm = await start(model, 'shared');
  warm.process.disconnect();
  const rows = [];
  for (const weights of ['private', 'shared']) {
    const workers = [];
    for (let i = 0; i < Number(options.processes); i++) workers.push(await start(model, weights));
    const sizes = await Promise.all(workers.map(({ process }) => setSize(process)));
    const each = (figure) => workers.map((worker) => worker[figure].toFixed(2)).join(', ');
    rows.push({
      weights,
      'first answer s': each('seconds'),
      'processor s': each('processor'),
      'opening alone, processor s': each('opening'),
      'memory of all MiB': Math.round(sizes.reduce((sum, { set }) => sum + set, 0)),
      'peak MiB': Math.round(Math.max(...sizes.map(({ peak }) => peak))),
    });
    for (const { process } of workers) process.disconnect();
  }
  console.log(
    `${options.size} shape${options.int8 === undefined ? '' : `, int8 by ${options.int8}`}, ${options.processes} processes; the first, which makes the shared copy where there is one, took ${warm.seconds.toFixed(1)} s`,
  );
  console.table(rows);
  if (options.folder === undefined) rmSync(folder, { recursive: true });
}

async function start(model, weights) {
  const int8 = options.int8 === undefined ? [] : ['--int8', options.int8];
  const process = fork(fileURLToPath(import.meta.url), ['--child', weights, '--folder', model, ...int8]);
  const [took] = await once(process, 'message');
  return { process, ...took };
}

async function setSize(process) {
  process.send('size');
  const [size] = await once(process, 'message');
  return size;
}

async function child(model, shared) {
  const before = performance.now();
  const start = process.cpuUsage();
  const seconds = ({ user, system }) => (user + system) / 1e6;
  const session = await openModel(await readModelFolder(model), recipe('model'), {
    int8: /** @type {'output' | 'block' | undefined} */ (options.int8) ?? null,
    device: 'cpu',
    shared,
  });
  const opening = seconds(process.cpuUsage(start));
  await session.embed([sequence]);
  const processor = seconds(process.cpuUsage(start));
  process.send({ seconds: (performance.now() - before) / 1000, processor, opening });
  process.on('message', () => {
    const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'));
    process.send({ set: Number(kilobytes) / 1024, peak: process.resourceUsage().maxRSS / 1024 });
  });
}
