import { expect, it } from 'vitest';
import { ProblemError } from './problems.js';

/** The class is like that in a plugin's own copy of this package. */
class Foreign extends Error {
  override readonly name = 'ProblemError';
  constructor(readonly code: string) {
    super('refused');
  }
}
class Special extends ProblemError {}

it('knows a problem of a foreign copy of this package, and nothing else', () => {
  expect(new ProblemError('conflict', 'x') instanceof ProblemError).toBe(true);
  expect(new Special('conflict', 'x') instanceof ProblemError).toBe(true);
  expect((new Foreign('bad_file') as Error) instanceof ProblemError).toBe(true);
  for (const other of [
    new Foreign('toString'),
    new Error('x'),
    { name: 'ProblemError', code: 'bad_file' },
    null,
  ])
    expect((other as unknown) instanceof ProblemError).toBe(false);
});

it('leaves classes that extend it apart', () => {
  expect(new Special('conflict', 'x') instanceof Special).toBe(true);
  expect((new ProblemError('conflict', 'x') as Error) instanceof Special).toBe(false);
});
