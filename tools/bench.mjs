// Builds, and runs benchmarks: npm run bench -- NAME ... runs benchmarks/NAME.bench.mjs as they are; npm run bench [-- all] runs all of
// benchmarks/plan.mjs and sums them up, with --short in 20 minutes; --json FILE is where the figures go.
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { runTree } from './ending.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ending = '.bench.mjs';

function refuse(sentence) {
  console.error(sentence);
  process.exit(64);
}

/** Reads what is asked for, or ends with a sentence. */
function asked() {
  const options = /** @type {const} */ ({
    short: { type: 'boolean', default: false },
    json: { type: 'string' },
  });
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { ...values, names: positionals };
  } catch (error) {
    return refuse(
      `${error.message} Use: npm run bench -- [all] [--short] [--json FILE], or npm run bench -- NAME ...`,
    );
  }
}

const { names, short, json } = asked();
const known = readdirSync(join(root, 'benchmarks'))
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length))
  .sort();
const isAll = names.length === 0 || (names.length === 1 && names[0] === 'all');
const unknown = isAll ? [] : names.filter((name) => !known.includes(name));
if (unknown.length > 0)
  refuse(`No such benchmark: ${unknown.join(', ')}. There are: all (by itself), ${known.join(', ')}.`);
if (!isAll && (short || json !== undefined))
  refuse(
    '--short and --json belong to all: npm run bench -- all --short. A benchmark by itself says in its head what it takes.',
  );
if (!(await build(root))) process.exit(1);
if (isAll) {
  const { runAll } = await import('../benchmarks/run-all.mjs');
  process.exitCode = await runAll({
    isShort: short,
    json: resolve(json ?? join(root, '.kindred', 'bench.json')),
  });
} else {
  let failures = 0;
  for (const name of names) {
    console.log(`\n== ${name}`);
    const script = join(root, 'benchmarks', name + ending);
    const { status } = await runTree(process.execPath, ['--expose-gc', script], { cwd: root });
    if (status !== 0) failures += 1;
  }
  process.exitCode = failures > 0 ? 1 : 0;
}
