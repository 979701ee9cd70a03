import { describe, expect, it } from 'vitest';
import type { JobDetail } from '../../app/api/jobs.js';
import { resultOf, stepOf } from './steps.js';

const job: JobDetail = {
  id: '00000000-0000-4000-8000-000000000001',
  operation: 'predict_go_terms',
  queue_name: 'svc.predictions',
  status: 'QUEUED',
  parent_job_id: null,
  waits_for_job_id: null,
  progress_current: 0,
  progress_total: null,
  description: null,
  tags: [],
  visibility: 'link',
  error_code: null,
  error_message: null,
  attempts: 0,
  request_id: null,
  created_at: '2026-01-01T00:00:00Z',
  started_at: null,
  finished_at: null,
  findings: null,
  payload: {},
  meta: {},
  result: null,
  queue_position: null,
  eta_seconds: null,
  may_change: false,
  may_cancel: false,
};

describe('stepOf', () => {
  it('tells where a waiting job is', () => {
    expect(stepOf(job, true).note).toBe('Starts when the step before is done');
    expect(stepOf({ ...job, queue_position: 1 }, false).note).toBe('Next in the queue');
    expect(stepOf({ ...job, queue_position: 14, eta_seconds: 90 }, false).note).toBe(
      '13 jobs before it in the queue, done in about 2 min',
    );
  });

  it('tells how far a running job is', () => {
    const running = { ...job, status: 'RUNNING', progress_current: 1, progress_total: 4 } as const;
    expect(stepOf(running, false)).toMatchObject({
      state: 'running',
      note: '25 % done, estimating how long it takes',
      fraction: 0.25,
    });
    expect(stepOf({ ...running, progress_total: null, eta_seconds: 12 }, false)).toMatchObject({
      note: 'Running, done in about 12 s',
      fraction: null,
    });
  });

  it('tells why a job failed, and how long one took', () => {
    const failed = { ...job, status: 'FAILED', error_message: 'The backend is not installed.' } as const;
    expect(stepOf(failed, false)).toMatchObject({ state: 'failed', note: 'The backend is not installed.' });
    const done = {
      ...job,
      status: 'SUCCEEDED',
      started_at: '2026-01-01T00:00:00Z',
      finished_at: '2026-01-01T00:00:07Z',
    } as const;
    expect(stepOf(done, false).note).toBe('Done in 7 s');
  });
});

it('finds the result of a finished job alone', () => {
  const result = { prediction_set_id: 'abc' };
  expect(resultOf({ ...job, status: 'SUCCEEDED', result })).toBe('abc');
  expect(resultOf({ ...job, status: 'RUNNING', result })).toBeNull();
  expect(resultOf({ ...job, status: 'SUCCEEDED', result: {} })).toBeNull();
});
