import { expect, it } from 'vitest';
import { Problem, sentencesOf } from './problem.js';
import { submissionKey } from './client.js';

it('turns a problem document into sentences', () => {
  const problem = new Problem({
    status: 422,
    title: 'Unprocessable Entity',
    detail: '/name: too long (and 1 more)',
    code: 'validation_failed',
    errors: [
      { path: '/name', message: 'too long' },
      { path: '/x', message: 'unknown key; remove it' },
    ],
    requestId: 'r',
    retryAfterSeconds: null,
  });
  expect(sentencesOf(problem)).toEqual({
    title: 'Unprocessable Entity',
    sentences: ['/name: too long (and 1 more)', '/x: unknown key; remove it'],
    requestId: 'r',
  });
});

it('makes a new key for each submission', () => {
  expect(submissionKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(submissionKey()).not.toBe(submissionKey());
});
