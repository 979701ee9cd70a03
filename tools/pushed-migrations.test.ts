import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '@kindred/testkit';
import { expect, it } from 'vitest';

/** The last commit that edited a migration which others had; data of the days before cannot be used since. */
const lastEdit = '9423af979cdcbabfbbc980c6ee70060c2f4f2519';
const folder = 'apps/server/src/store/migrations';
const pattern = `${folder}/*.sql`;
/** Runs git; the option safe.directory lets it read a checkout that belongs to another user. */
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'safe.directory=*', '-C', repositoryRoot(), ...args], { encoding: 'utf8' });

/** The files that the baselines replace, as `<name> <SHA-256>`: they may be deleted, if they are as they were. */
const replaced = new Set(
  readdirSync(join(repositoryRoot(), folder))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join(repositoryRoot(), folder, name), 'utf8'))
    .filter((text) => text.startsWith('--! release '))
    .flatMap((text) => [...text.matchAll(/^--! replaces (\S+ [0-9a-f]{64})/gm)].map(([, file]) => file)),
);

/** Says whether the change is a deletion of a file that a baseline replaces. */
function isReplaced(status: string, path: string, text: string): boolean {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return status === 'D' && replaced.has(`${basename(path)} ${sha256}`);
}

/** Returns the migrations that commits after `from` up to `to` edited, renamed or deleted, with the commit. */
function edits(from: string, to: string): string[] {
  const log = git(
    'log',
    '--no-renames',
    '--diff-filter=MD',
    '--name-status',
    '--format=commit %H',
    `${from}..${to}`,
    '--',
    pattern,
  );
  const found: string[] = [];
  let commit = '';
  for (const line of log.split('\n').filter(Boolean)) {
    const [status, path] = line.split('\t');
    if (path === undefined) commit = line.slice('commit '.length);
    else if (!isReplaced(status, path, git('show', `${commit}^:${path}`))) found.push(`${commit} ${path}`);
  }
  return found;
}

it('finds an edit where there is one', () => {
  expect(edits(`${lastEdit}^`, lastEdit)).toEqual([`${lastEdit} ${folder}/000095_bank_changes.sql`]);
});

it('takes only the deletion of a file, as it was, for one that a baseline replaces', () => {
  const [path, text] = [
    `${folder}/000016_baselines.sql`,
    git('show', `${lastEdit}:${folder}/000016_baselines.sql`),
  ];
  expect(isReplaced('D', path, text)).toBe(true);
  expect(isReplaced('M', path, text)).toBe(false);
  expect(isReplaced('D', path, `${text}-- more`)).toBe(false);
  expect(isReplaced('D', `${folder}/000104_namesakes.sql`, text)).toBe(false);
});

it('no commit edits a migration of an earlier one: put changes into a new migration', () => {
  expect(edits(lastEdit, 'HEAD')).toEqual([]);
  const now = git('diff', '--no-renames', '--diff-filter=MD', '--name-status', 'HEAD', '--', pattern);
  const changed = now
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'));
  expect(changed.filter(([status, path]) => !isReplaced(status, path, git('show', `HEAD:${path}`)))).toEqual(
    [],
  );
});
