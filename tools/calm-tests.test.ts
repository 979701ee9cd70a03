import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['packages', 'plugins', 'apps', 'examples', 'tools'];
/** What makes a test slow on a fast machine and wrong on a slow one. */
const forbidden = [
  { what: 'a fixed sleep (wait for a condition: vi.waitUntil)', pattern: /\bawait sleep\(|=> setTimeout\(/ },
  { what: 'a measured time (measure in benchmarks/)', pattern: /\bperformance\.now\(/ },
];

function faultsOf(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      forbidden
        .filter(({ pattern }) => pattern.test(line))
        .map(({ what }) => `line ${at + 1}: ${what}: ${line.trim()}`),
    );
}

it('finds fixed sleeps and measured times', () => {
  const sleepy = ['  await sle', 'ep(300);'].join('');
  const timed = ['const start = performance', '.now();'].join('');
  const timer = ['new Promise((resolve) =', '> setTimeout(resolve, 30))'].join('');
  expect(faultsOf([sleepy, timed, timer, 'await vi.waitUntil(ready);'].join('\n'))).toHaveLength(3);
});

it('no test sleeps for a fixed time or asserts a measured one', () => {
  const files = folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, String(path))),
    )
    .filter((path) => path.endsWith('.test.ts') && !/\b(node_modules|dist)\b/.test(path));
  expect(files.length).toBeGreaterThan(100);
  const faults = files.flatMap((file) =>
    faultsOf(readFileSync(join(root, file), 'utf8')).map((fault) => `${file}, ${fault}`),
  );
  expect(faults).toEqual([]);
});
