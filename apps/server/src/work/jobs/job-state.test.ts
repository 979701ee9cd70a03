import { finalStatuses, type JobStatus, jobStatuses } from '@kindred/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinal, type JobTrigger, nextStatus, retryDelaySeconds } from './job-state.js';

const triggers: JobTrigger[] = ['claim', 'succeed', 'fail', 'cancel', 'retry_later', 'give_back'];

describe('the state table', () => {
  it('is that of the specification', () => {
    const rows = jobStatuses.flatMap((from) =>
      triggers.flatMap((trigger) => {
        const to = nextStatus(from, trigger);
        return to === null ? [] : [`${from} ${trigger} ${to}`];
      }),
    );
    expect(rows).toEqual([
      'QUEUED claim RUNNING',
      'QUEUED fail FAILED',
      'QUEUED cancel CANCELLED',
      'RUNNING succeed SUCCEEDED',
      'RUNNING fail FAILED',
      'RUNNING cancel CANCELLED',
      'RUNNING retry_later QUEUED',
      'RUNNING give_back QUEUED',
    ]);
  });

  it('never leaves a final state, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...triggers)), (path) => {
        let status: JobStatus = 'QUEUED';
        for (const trigger of path) {
          const next = nextStatus(status, trigger);
          if (finalStatuses.includes(status)) expect(next).toBeNull();
          status = next ?? status;
        }
      }),
    );
    expect(jobStatuses.filter(isFinal)).toEqual([...finalStatuses]);
  });
});

describe('the delay of a retry', () => {
  it('doubles, never falls, and ends at 600 s', () => {
    expect([0, 1, 2, 3].map((count) => retryDelaySeconds(8, count))).toEqual([8, 16, 32, 64]);
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 600, noNaN: true }), fc.nat(10_000), (base, count) => {
        const delay = retryDelaySeconds(base, count);
        expect(delay).toBeLessThanOrEqual(600);
        expect(retryDelaySeconds(base, count + 1)).toBeGreaterThanOrEqual(delay);
      }),
    );
  });
});
