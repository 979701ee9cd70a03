import { expect, it } from 'vitest';
import type { JobEvent } from '../../app/api/jobs.js';
import { withEvent } from './use-job-events.js';

const event = (id: number): JobEvent => ({
  id,
  job_id: 'j',
  ts: '2026-01-01T00:00:00Z',
  level: 'info',
  event: 'job.progress',
  message: null,
  fields: {},
});
const ids = (events: readonly JobEvent[]) => events.map(({ id }) => id);

it('adds an event in its place, once', () => {
  expect(ids(withEvent([event(3), event(1)], event(2)))).toEqual([3, 2, 1]);
  expect(ids(withEvent([event(3), event(1)], event(3)))).toEqual([3, 1]);
  expect(ids(withEvent([], event(1)))).toEqual([1]);
});
