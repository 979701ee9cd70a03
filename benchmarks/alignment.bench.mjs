// Times pairwise alignment (score, identity, similarity, gaps, length) beside parasail and EMBOSS, on one thread.
//
//   KINDRED_PEERS_PYTHON=/path/to/python node benchmarks/alignment.bench.mjs [--queries 500]
//
// KINDRED_PEERS_PYTHON names a Python that has parasail; needle and water are used if they are installed. Every field of every pair is
// compared with parasail's.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeResidues, plainAligner } from '@kindred/kernels/alignment';
import { createWasmAligner, loadNative } from '@kindred/native';
import { alignmentPairs } from './alignment-data.mjs';
import { keep } from './figures.mjs';

const at = process.argv.indexOf('--queries');
const data = alignmentPairs(at < 0 ? 500 : Number(process.argv[at + 1]));
const nPairs = data.query.length;
const pairs = {
  sequences: data.sequences.map(encodeResidues),
  query: Int32Array.from(data.query),
  target: Int32Array.from(data.target),
};
const cells = data.query.reduce(
  (sum, q, p) => sum + pairs.sequences[q].length * pairs.sequences[data.target[p]].length,
  0,
);
const folder = mkdtempSync(join(tmpdir(), 'kindred-alignment-'));

/** Returns the processor seconds of the fastest of several runs. */
function timed(run, repeats) {
  let best = { seconds: Number.POSITIVE_INFINITY, value: undefined };
  for (let r = 0; r < repeats; r++) {
    const before = process.cpuUsage();
    const value = run();
    const { user, system } = process.cpuUsage(before);
    if (user + system < best.seconds * 1e6) best = { seconds: (user + system) / 1e6, value };
  }
  return best;
}

function line(name, count, seconds, more = '') {
  const perSecond = (count / seconds).toFixed(0).padStart(7);
  const gcups = ((cells / nPairs) * (count / seconds) * 1e-9).toFixed(2).padStart(6);
  console.log(`  ${name.padEnd(18)} ${perSecond} pairs per CPU-second ${gcups} GCUPS ${more}`);
}

function parasail(mode) {
  const python = process.env.KINDRED_PEERS_PYTHON;
  if (!python) return null;
  const script = fileURLToPath(new URL('./alignment-peers.py', import.meta.url));
  const { status, stdout, stderr } = spawnSync(python, [script, join(folder, 'pairs.json'), mode], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`parasail failed: ${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Returns the pairs a second of needle or water for the first queries, each with its twenty targets; null if the programs are not
 * installed.
 */
function emboss(mode) {
  const program = mode === 'global' ? 'needle' : 'water';
  if (spawnSync(program, ['-version']).error) return null;
  const started = performance.now();
  const queries = Math.min(10, nPairs / 20);
  for (let q = 0; q < queries; q++) {
    const first = q * 20;
    writeFileSync(join(folder, 'q.fa'), `>q\n${data.sequences[data.query[first]]}\n`);
    const targets = data.target.slice(first, first + 20).map((t, n) => `>t${n}\n${data.sequences[t]}\n`);
    writeFileSync(join(folder, 't.fa'), targets.join(''));
    const files = [
      '-asequence',
      join(folder, 'q.fa'),
      '-bsequence',
      join(folder, 't.fa'),
      '-outfile',
      '/dev/null',
    ];
    const ends = mode === 'global' ? ['-endweight', 'Y', '-endopen', '10', '-endextend', '1'] : [];
    spawnSync(program, [...files, '-gapopen', '10', '-gapextend', '1', ...ends, '-auto']);
  }
  // The wall time is used, because Node does not count the processor time of child processes.
  return { count: queries * 20, seconds: (performance.now() - started) / 1000 };
}

function sameRows(table, rows) {
  return rows.filter(
    ([score, identical, similar, gaps, length], p) =>
      table.score[p] === score &&
      table.identical[p] === identical &&
      table.similar[p] === similar &&
      table.gaps[p] === gaps &&
      table.length[p] === length,
  ).length;
}

writeFileSync(join(folder, 'pairs.json'), JSON.stringify(data));
const native = loadNative();
const aligners = [createWasmAligner()];
for (const use of native?.available ?? [])
  if (use === 'avx2' || use === 'avx512') aligners.push(loadNative({ use }).createAligner());
console.log(`${nPairs} pairs, ${(cells / nPairs).toFixed(0)} cells a pair`);
for (const mode of /** @type {const} */ (['global', 'local'])) {
  console.log(`\n${mode}`);
  const peer = parasail(mode);
  if (peer) {
    line('parasail, Python', nPairs, peer.cpuSeconds);
    line('parasail, counts', nPairs, peer.countsCpuSeconds, `without traces (${peer.countsBy})`);
  }
  const own = new Map();
  for (const aligner of aligners) {
    aligner.align(pairs, { mode });
    const { seconds, value } = timed(() => aligner.align(pairs, { mode }), 5);
    const ratio = peer
      ? `${(peer.cpuSeconds / seconds).toFixed(2)} x parasail, ${sameRows(value, peer.rows)} of ${nPairs} pairs equal in all fields`
      : '';
    line(aligner.name, nPairs, seconds, ratio);
    own.set(aligner.name, seconds);
    if (peer) {
      const of = { mode, program: aligner.name };
      keep('times parasail', peer.cpuSeconds / seconds, of);
      keep('times parasail, counts', peer.countsCpuSeconds / seconds, of);
    }
  }
  if (native) keep('WebAssembly / addon', own.get('wasm') / Math.min(...own.values()), { mode });
  const few = { ...pairs, query: pairs.query.subarray(0, 200), target: pairs.target.subarray(0, 200) };
  line('plain TypeScript', few.query.length, timed(() => plainAligner.align(few, { mode }), 1).seconds);
  const other = emboss(mode);
  if (other)
    line(`EMBOSS ${mode === 'global' ? 'needle' : 'water'}`, other.count, other.seconds, '(wall time)');
}
const giant = {
  sequences: [encodeResidues('MKVAW'.repeat(7000)), encodeResidues('MKWVA'.repeat(7000))],
  query: Int32Array.of(0),
  target: Int32Array.of(1),
};
for (const aligner of aligners) {
  const { seconds, value } = timed(() => aligner.align(giant, { mode: 'global' }), 1);
  console.log(
    `\n35,000 x 35,000 residues, ${aligner.name}: ${seconds.toFixed(1)} s, score ${value.score[0]}, peak memory of the process ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`,
  );
}
rmSync(folder, { recursive: true });
