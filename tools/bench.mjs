// Builds, and runs benchmarks/<name>.bench.mjs, or all of them without a name: npm run bench [-- name ...].
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ending = '.bench.mjs';
const all = readdirSync(join(root, 'benchmarks'))
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(64);
}
if (!(await build(root))) process.exit(1);
let failures = 0;
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(root, 'benchmarks', name + ending)], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) failures += 1;
}
process.exit(failures > 0 ? 1 : 0);
