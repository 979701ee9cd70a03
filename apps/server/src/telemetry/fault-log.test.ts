import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FaultLog } from './fault-log.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
const reset = Object.assign(new Error('cut'), { code: 'ECONNRESET' });
const full = Object.assign(new Error('full'), { code: '53100' });

function rig() {
  const log = { info: vi.fn(), warn: vi.fn() };
  return { log, faults: new FaultLog(log) };
}

it('logs an outage of many failures twice: when it begins and when it ends', () => {
  const { log, faults } = rig();
  for (let i = 0; i < 8000; i++) faults.failed('a chore failed', i % 2 ? refused : reset);
  faults.worked('a chore failed');
  faults.worked('a chore failed');
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.info.mock.calls).toEqual([[{ repeated: 7999 }, 'over: a chore failed']]);
});

it('logs another kind of fault, and the same one of another piece of work', () => {
  const { log, faults } = rig();
  faults.failed('a', refused);
  faults.failed('a', full);
  faults.failed('b', refused);
  expect(log.warn.mock.calls.map(([fields, what]) => [fields.err, what])).toEqual([
    [refused, 'a'],
    [full, 'a'],
    [refused, 'b'],
  ]);
});

it('counts a fault that comes after a minute of quiet as a new one, and reminds of one that goes on', () => {
  const { log, faults } = rig();
  faults.failed('a', refused);
  vi.advanceTimersByTime(61_000);
  faults.failed('a', refused);
  expect(log.warn).toHaveBeenCalledTimes(2);
  for (let second = 0; second < 630; second += 30) {
    vi.advanceTimersByTime(30_000);
    faults.failed('a', refused);
  }
  expect(log.warn).toHaveBeenCalledTimes(3);
  expect(log.warn.mock.lastCall?.[0]).toMatchObject({ repeated: 20 });
});
