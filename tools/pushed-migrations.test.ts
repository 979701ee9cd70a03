import { execFileSync } from 'node:child_process';
import { repositoryRoot } from '@kindred/testkit';
import { expect, it } from 'vitest';

/** The last commit that edited a migration which others had: data of the days before cannot be used since. */
const lastEdit = '9423af979cdcbabfbbc980c6ee70060c2f4f2519';
const migrations = 'apps/server/src/store/migrations/*.sql';
/** safe.directory lets git read a checkout that belongs to another user. */
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'safe.directory=*', '-C', repositoryRoot(), ...args], {
    encoding: 'utf8',
  }).trim();

/** Commits after `from` up to `to` that edit, rename or delete a migration instead of adding one. */
function edits(from: string, to: string): string[] {
  const log = git('log', '--diff-filter=MDR', '--format=%h %s', `${from}..${to}`, '--', migrations);
  return log.split('\n').filter(Boolean);
}

it('finds an edit where there is one', () => {
  expect(edits(`${lastEdit}^`, lastEdit)).toEqual([
    expect.stringContaining('Keep notes about banks out of lists'),
  ]);
});

it('no commit edits a migration of an earlier one: put changes into a new migration', () => {
  expect(edits(lastEdit, 'HEAD')).toEqual([]);
  expect(git('diff', '--diff-filter=MDR', '--name-only', 'HEAD', '--', migrations)).toBe('');
});
