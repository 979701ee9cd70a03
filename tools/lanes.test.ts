import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const suites = readdirSync(join(root, '.ci/suites'), { withFileTypes: true })
  .filter((entry) => entry.isFile() && (statSync(join(root, '.ci/suites', entry.name)).mode & 0o111) !== 0)
  .map(({ name }) => name);
const callsOf = (path: string) =>
  new Set([...read(path).matchAll(/\.ci\/suites\/([\w-]+)(?![\w.-])/g)].map(([, name]) => name));

it('every suite is run by .ci/run or .ci/nightly, or by another suite', () => {
  const lanes = ['.ci/run', '.ci/nightly', '.ci/lib', ...suites.map((name) => `.ci/suites/${name}`)];
  const called = lanes.flatMap((path) => [...callsOf(path)].filter((name) => path !== `.ci/suites/${name}`));
  expect(suites.length).toBeGreaterThan(10);
  expect(suites.filter((name) => !called.includes(name))).toEqual([]);
});

it('CONTRIBUTING names each suite in the lane that runs it', () => {
  const rows = [...read('CONTRIBUTING.md').matchAll(/^\| `([\w-]+)` \| `(\.ci\/\w+)` \|/gm)];
  for (const lane of ['.ci/run', '.ci/nightly']) {
    const named = rows.filter((row) => row[2] === lane).map(([, name]) => name);
    expect(callsOf(lane).size).toBeGreaterThan(2);
    expect(named.sort()).toEqual([...callsOf(lane)].sort());
  }
});
