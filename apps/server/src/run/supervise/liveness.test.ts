import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Liveness } from './liveness.js';

let answers: (() => Promise<unknown>) | null;
let asked: number;
let deaf: number[];
let watch: Liveness;

beforeEach(() => {
  vi.useFakeTimers();
  answers = async () => {};
  asked = 0;
  deaf = [];
  watch = new Liveness({
    ask: () => {
      asked += 1;
      return answers === null ? new Promise(() => {}) : answers();
    },
    limitSeconds: 30,
    startSeconds: 120,
    onDeaf: (seconds) => deaf.push(seconds),
  });
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

it('asks every five seconds, and finds nothing as long as there are answers', async () => {
  await pass(601);
  expect(asked).toBe(121);
  expect(deaf).toEqual([]);
});

it('finds a process that stops answering, once', async () => {
  await pass(10);
  answers = null;
  await pass(200);
  expect(deaf).toEqual([30]);
});

it('finds one that refuses to answer, and forgives one that recovers', async () => {
  await pass(10);
  answers = () => Promise.reject(new Error('refused'));
  await pass(20);
  answers = async () => {};
  await pass(60);
  expect(deaf).toEqual([]);
  answers = () => Promise.reject(new Error('refused'));
  await pass(60);
  expect(deaf).toEqual([30]);
});

it('gives a starting process longer', async () => {
  answers = () => Promise.reject(new Error('not yet'));
  await pass(119);
  expect(deaf).toEqual([]);
  await pass(1);
  expect(deaf).toEqual([120]);
});

it('finds nothing after the process has ended', async () => {
  answers = null;
  watch.stop();
  await pass(1000);
  expect(deaf).toEqual([]);
});
