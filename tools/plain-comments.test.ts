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
/** A comment begins with its subject, which these openings hide. */
const openings = [
  /^(?:It|They|He|She)\b/,
  /^(?:What|Why|Who|Those)\b/,
  /^(?:null|undefined|true|false|absent|empty): /i,
  /^(?:the|a|an|of|as|in|to|for|with|without|where|and|or|each|all|at|by|from|if|when)(?= \w)/,
];
const oneLine = /^\s*(?:\/\*\*?|\/\/) (?:@internal )?(\S.*)$/;
const firstOfBlock = /^\s*\* (?:@internal )?(\S.*)$/;
const longest = 140;

/** Gives the words with which a comment begins in this line; empty if it begins in an earlier one. */
function firstWords(line: string, before: string): string {
  if (/^\s*\/\*\*?$/.test(before)) return firstOfBlock.exec(line)?.[1] ?? '';
  const continues = /^\s*\/\//.test(line) && /^\s*\/\//.test(before);
  return continues ? '' : (oneLine.exec(line)?.[1] ?? '');
}

/** Lists lines with a comment that hides its subject, or that is too long. */
function faultsOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (!comment.test(line)) return [];
    if (openings.some((opening) => opening.test(firstWords(line, lines[at - 1] ?? ''))))
      return [`${at + 1}: begin with the subject: ${line.trim()}`];
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
  for (const hidden of ['It is the row.', 'What the row has.', 'null: no row.', 'for a row.'])
    expect(faultsOf(`/** ${hidden} */\n/**\n * ${hidden}\n */\n${mark} ${hidden}`)).toHaveLength(3);
  expect(
    faultsOf(`${mark} The row ends\n${mark} for a reader.\n/**\n * The row ends\n * for a reader.\n */`),
  ).toEqual([]);
  expect(faultsOf(`${mark} The row.\n${mark} Of all rows.\n/** The row of the value. */`)).toEqual([]);
});

it('comments name their subjects, in lines of at most 140 columns', () => {
  expect(files.length).toBeGreaterThan(1000);
  const faults = files.flatMap((file) =>
    faultsOf(readFileSync(join(root, file), 'utf8')).map((fault) => `${file}:${fault}`),
  );
  expect(faults).toEqual([]);
});
