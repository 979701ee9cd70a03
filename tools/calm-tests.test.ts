import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['packages', 'plugins', 'apps', 'examples', 'tools'];
/** Patterns that make a test slow on a fast machine and wrong on a slow one. */
const forbidden = [
  { what: 'a fixed sleep (wait for a condition: vi.waitUntil)', pattern: /\bawait sleep\(|=> setTimeout\(/ },
  { what: 'a measured time (measure in benchmarks/)', pattern: /\bperformance\.now\(/ },
];

function faultsOf(text: string): string[] {
  const lines = text
    .split('\n')
    .flatMap((line, at) =>
      forbidden
        .filter(({ pattern }) => pattern.test(line))
        .map(({ what }) => `line ${at + 1}: ${what}: ${line.trim()}`),
    );
  return [...lines, ...impatientWaits(text)];
}

/** Finds calls of `vi.waitFor` and `vi.waitUntil` without options, which give up after a second. */
function impatientWaits(text: string): string[] {
  if (!text.includes('vi.wait')) return [];
  const source = ts.createSourceFile('a.test.ts', text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      node.arguments.length === 1 &&
      /^vi\.wait(For|Until)$/.test(node.expression.getText(source))
    ) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`line ${line + 1}: a wait of at most a second (give it the patience of testkit)`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('finds fixed sleeps, measured times and short waits', () => {
  const sleepy = ['  await sle', 'ep(300);'].join('');
  const timed = ['const start = performance', '.now();'].join('');
  const timer = ['new Promise((resolve) =', '> setTimeout(resolve, 30))'].join('');
  const calm = 'await vi.waitUntil(ready, patience);';
  expect(faultsOf([sleepy, timed, timer, calm].join('\n'))).toHaveLength(3);
  const impatient = 'await vi.waitFor(() => expect(a).toEqual([b, c]));';
  expect(faultsOf(`${calm}\n${impatient}`)).toEqual([expect.stringMatching(/^line 2: /)]);
});

it('no test sleeps for a fixed time, asserts a measured one, or waits for a second only', () => {
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
