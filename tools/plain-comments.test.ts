import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@kindred/testkit';
import { expect, it } from 'vitest';

const root = repositoryRoot();
const folders = ['packages', 'plugins', 'apps', 'examples', 'tools', 'training', 'benchmarks'];
const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, String(path))),
  )
  .filter((path) => /\.(ts|tsx|mjs|cjs|css)$/.test(path) && !/\b(node_modules|dist|build)\b/.test(path));

const comment = /^\s*(?:\/\/|\/\*|\*(?= |\/|$))/;
/** Words that hide the subject of a short comment: it should be named. */
const fragment = /^\s*(?:\/\*\*?|\/\/) (?:Of|As|Those)(?: \S+){0,5}?(?: \*\/)?$/;
const longest = 140;

/** Lines with a fragment for a comment, or with a comment that is too long. */
function faultsOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (!comment.test(line)) return [];
    const continues = comment.test(lines[at - 1] ?? '') || comment.test(lines[at + 1] ?? '');
    if (fragment.test(line) && !continues) return [`${at + 1}: name the subject: ${line.trim()}`];
    return line.length > longest ? [`${at + 1}: more than ${longest} columns`] : [];
  });
}

it('finds fragments and long lines, and no sentences', () => {
  const mark = '//';
  expect(faultsOf(`const a = 1;\n/** Of which row. */\nconst b = 2;\n${mark} As many as fit.`)).toHaveLength(
    2,
  );
  expect(faultsOf(`${mark} ${'long '.repeat(30)}`)).toHaveLength(1);
  expect(faultsOf(`${mark} The row.\n${mark} Of all rows.\n/** The row of the value. */`)).toEqual([]);
});

it('comments name their subjects, in lines of at most 140 columns', () => {
  expect(files.length).toBeGreaterThan(1000);
  const faults = files.flatMap((file) =>
    faultsOf(readFileSync(join(root, file), 'utf8')).map((fault) => `${file}:${fault}`),
  );
  expect(faults).toEqual([]);
});
