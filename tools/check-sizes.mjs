// Files stay small enough to read: 400 lines warn, 600 fail. Returns the number of failures.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const warnAt = 400;
const failAt = 600;
const folders = ['apps', 'packages', 'plugins', 'tools', 'benchmarks', 'examples'];
const left = /(^|\/)(node_modules|dist|build|golden)(\/|$)/;

export function checkSizes(root) {
  let failures = 0;
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true })) {
      const path = `${folder}/${String(entry).split(sep).join('/')}`;
      if (!/\.(ts|tsx|mjs|cc|h|c)$/.test(path) || left.test(path)) continue;
      const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
      if (lines <= warnAt) continue;
      if (lines > failAt) failures += 1;
      process.stderr.write(
        `${path}: ${lines} lines ${lines > failAt ? `(at most ${failAt}): split it` : '(a file has about 100)'}\n`,
      );
    }
  }
  return failures;
}
