import { expect, it, vi } from 'vitest';
import { Problem, sentencesOf } from './problem.js';
import { pageOrNone, rowsOrNone, submissionKey } from './client.js';

it('turns a problem document into sentences', () => {
  const document = {
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
  };
  expect(sentencesOf(new Problem(document))).toEqual({
    title: 'Unprocessable Entity',
    sentences: ['/name: too long (and 1 more)', '/x: unknown key; remove it'],
    requestId: null,
  });
  expect(sentencesOf(new Problem({ ...document, status: 503 }))).toMatchObject({ requestId: 'r' });
});

it('makes a new key for each submission', () => {
  expect(submissionKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(submissionKey()).not.toBe(submissionKey());
});

const refusal = (status: number) =>
  Promise.reject(
    new Problem({
      status,
      title: '',
      detail: 'A credential is needed.',
      code: '',
      errors: [],
      requestId: null,
      retryAfterSeconds: null,
    }),
  );

it.each([401, 403])('shows an empty list for a refusal of %s, and warns', async (status) => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  expect(await rowsOrNone(refusal(status))).toEqual([]);
  expect(await pageOrNone(refusal(status))).toEqual({ rows: [], next: null });
  expect(warned).toHaveBeenCalledTimes(2);
  expect(warned.mock.calls[0]?.[0]).toContain('A credential is needed.');
  warned.mockRestore();
});

it('shows other refusals of a list', async () => {
  await expect(rowsOrNone(refusal(500))).rejects.toThrow('A credential');
  await expect(pageOrNone(refusal(0))).rejects.toThrow('A credential');
  expect(await rowsOrNone(Promise.resolve([1]))).toEqual([1]);
});
