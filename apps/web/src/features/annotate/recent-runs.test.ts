import { expect, it } from 'vitest';
import { type RecentRun, readRuns, withRun } from './recent-runs.js';

const run = (jobId: string, expiresAt: string | null = null): RecentRun => ({
  jobId,
  name: '',
  sequences: 1,
  startedAt: '2026-01-01T00:00:00Z',
  expiresAt,
});
const now = Date.parse('2026-01-02T00:00:00Z');

it('forgets runs that have expired and what is not a run', () => {
  const stored = [
    run('kept'),
    run('old', '2026-01-01T12:00:00Z'),
    run('new', '2026-01-02T12:00:00Z'),
    { jobId: 7 },
  ];
  expect(readRuns(JSON.stringify(stored), now).map((one) => one.jobId)).toEqual(['kept', 'new']);
  for (const text of [null, 'not json', '{}', '[null]']) expect(readRuns(text, now)).toEqual([]);
});

it('keeps the ten newest, each once', () => {
  let runs: RecentRun[] = [];
  for (let i = 0; i < 12; i++) runs = withRun(runs, run(`job-${i}`));
  runs = withRun(runs, run('job-5'));
  expect(runs).toHaveLength(10);
  expect(runs.slice(0, 2).map((one) => one.jobId)).toEqual(['job-5', 'job-11']);
});
