// Times a boosted ensemble over rows of features beside LightGBM's own predict, on one thread each.
//
//   KINDRED_PEERS_PYTHON=/path/to/python node benchmarks/trees.bench.mjs [--rows 100000] [--features 60] [--trees 500]
//
// KINDRED_PEERS_PYTHON names a Python that has lightgbm, which trains the model, too. Every prediction is compared.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPlainWalker, parseLightgbmModel, predictWith } from '@kindred/kernels/reranker';
import { createWasmTreeWalker } from '@kindred/native';
import { keep } from './figures.mjs';

const argument = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const size = {
  rows: argument('rows', 100_000),
  features: argument('features', 60),
  trees: argument('trees', 500),
};
const python = process.env.KINDRED_PEERS_PYTHON;
if (!python) throw new Error('set KINDRED_PEERS_PYTHON to a Python that has lightgbm');
const script = fileURLToPath(new URL('./trees-peers.py', import.meta.url));

/** Returns the processor seconds of the fastest of several runs. */
function timed(run, repeats) {
  let best = Number.POSITIVE_INFINITY;
  let value;
  for (let r = 0; r < repeats; r++) {
    const before = process.cpuUsage();
    value = run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return { seconds: best, value };
}

function line(name, rows, seconds, more) {
  console.log(`  ${name.padEnd(18)} ${(rows / seconds).toFixed(0).padStart(8)} rows per CPU-second ${more}`);
}

function compare(kind) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-trees-'));
  const peer = spawnSync(python, [script, folder, size.rows, size.features, size.trees, kind].map(String), {
    encoding: 'utf8',
  });
  if (peer.status !== 0) throw new Error(`LightGBM failed: ${peer.stderr}`);
  const { version, cpuSeconds } = JSON.parse(peer.stdout);
  const doubles = (name) => new Float64Array(new Uint8Array(readFileSync(join(folder, name))).buffer);
  const features = doubles('features.f64');
  const expected = doubles('scores.f64');
  const text = readFileSync(join(folder, 'model.txt'), 'utf8');
  rmSync(folder, { recursive: true });
  const parsed = timed(() => parseLightgbmModel(text), 3);
  const model = parsed.value;
  console.log(
    `\n${kind}: ${size.rows} rows x ${size.features} features x ${model.roots.length} trees; reading the model of ${(text.length / 1e6).toFixed(1)} MB takes ${(parsed.seconds * 1000).toFixed(0)} ms`,
  );
  line(`LightGBM ${version}`, size.rows, cpuSeconds, '');
  const some = features.subarray(0, 5000 * size.features);
  const walkers = [
    { walker: createPlainWalker(model), input: some, rows: 5000 },
    { walker: createWasmTreeWalker(model), input: features, rows: size.rows },
  ];
  for (const { walker, input, rows } of walkers) {
    const { seconds, value } = timed(() => predictWith(walker, model, input), 3);
    const worst = value.reduce((most, score, row) => Math.max(most, Math.abs(score - expected[row])), 0);
    const ratio = (cpuSeconds / size.rows / (seconds / rows)).toFixed(1);
    keep('times LightGBM', Number(ratio), { program: walker.name, kind });
    line(walker.name, rows, seconds, `${ratio} x LightGBM, largest difference ${worst.toExponential(1)}`);
  }
}

compare('numbers');
compare('categories');
