import { finalStatuses, type JobStatus, jobStatuses } from '@kindred/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinal, type JobTrigger, nextStatus } from './job-state.js';

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
