import { ProblemError } from '@kindred/contracts';
import { expect, it } from 'vitest';
import { OpenStreams } from './open-streams.js';

function refusal(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'rate_limited') return error.message;
    throw error;
  }
}

it('refuses more of one caller, until one of theirs is closed', () => {
  const streams = new OpenStreams({ ofCaller: 2 });
  const close = streams.open('a');
  streams.open('a');
  expect(refusal(() => streams.open('a'))).toMatch(/^You have 2 event streams open/);
  expect(refusal(() => streams.open('b'))).toBeNull();
  close();
  close();
  expect(refusal(() => streams.open('a'))).toBeNull();
  expect(refusal(() => streams.open('a'))).not.toBeNull();
});

it('refuses more of all callers together', () => {
  const streams = new OpenStreams({ ofProcess: 2 });
  const close = streams.open('a');
  streams.open('b');
  expect(refusal(() => streams.open('c'))).toMatch(/^The service has 2 event streams open/);
  close();
  expect(refusal(() => streams.open('c'))).toBeNull();
});
