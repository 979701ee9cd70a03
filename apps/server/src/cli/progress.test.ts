import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openProgress, showJob } from './progress.js';

let said: string[];
beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('writes a line for each step to a log, and one for its share every half minute', () => {
  const shown = openProgress(false);
  const at = (step: string, done: number, seconds: number) => {
    vi.advanceTimersByTime(1000 * seconds);
    shown.show(step, done, 100);
  };
  at('embedding', 0, 0);
  at('embedding', 50, 5);
  at('searching', 0, 1);
  for (const done of [10, 20, 30, 40]) at('searching', done, 10);
  at('searching', 30, 60);
  at('searching', 30, 60);
  shown.stop();
  expect(said).toEqual(['embedding\n', 'searching\n', 'searching, 30 %\n']);
});

it('says how many jobs are before one, and the time that is left', () => {
  const shown = openProgress(false);
  const job = {
    status: 'QUEUED',
    queue_position: 2,
    eta_seconds: null,
    progress_current: 0,
    progress_total: 4,
  };
  const running = { ...job, status: 'RUNNING', queue_position: null, eta_seconds: 71, progress_current: 1 };
  for (const state of [job, running]) {
    showJob(shown, 'searching')(state as Parameters<ReturnType<typeof showJob>>[0]);
    vi.advanceTimersByTime(40_000);
  }
  expect(said).toEqual(['searching, waiting, 2 before it\n', 'searching, 25 %, about 2 min left\n']);
});

it('says nothing if it is asked to be quiet', () => {
  openProgress(true).show('embedding', 1, 2);
  expect(said).toEqual([]);
});
