import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Admission, readLanes } from './admission.js';

const response = () => new EventEmitter() as ServerResponse;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Makes replies that take `ms` each, one after the other. */
async function replies(admission: Admission, count: number, ms: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const leave = await admission.enter(response());
    vi.advanceTimersByTime(ms);
    leave();
  }
}

describe('admission of reads', () => {
  it('computes so many at once, and the next when one is over, in the order in which they came', async () => {
    const admission = new Admission(2);
    const order: string[] = [];
    const enter = async (name: string) => {
      const leave = await admission.enter(response());
      order.push(name);
      return leave;
    };
    const [a] = [await enter('a'), await enter('b')];
    const c = enter('c');
    const d = enter('d');
    await Promise.resolve();
    expect(order).toEqual(['a', 'b']);
    a();
    a();
    (await c)();
    await d;
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('forgets those whose client goes while they wait', async () => {
    const admission = new Admission(1);
    const leave = await admission.enter(response());
    const impatient = response();
    const gone = admission.enter(impatient);
    const next = admission.enter(response());
    impatient.emit('close');
    await expect(gone).rejects.toMatchObject({ code: 'service_unavailable' });
    leave();
    (await next)();
    expect(impatient.listenerCount('close')).toBe(0);
    (await admission.enter(response()))();
  });

  it('refuses at once those who would wait too long, and takes them again when it is idle', async () => {
    const admission = new Admission(2);
    await replies(admission, 200, 1000);
    const running = [await admission.enter(response()), await admission.enter(response())];
    const waiting = [];
    while (admission.expectedWaitMs <= 4000) waiting.push(admission.enter(response()));
    expect(waiting).toHaveLength(8);
    await expect(admission.enter(response())).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'retry-after': expect.stringMatching(/^[2-5]$/) },
    });
    for (const leave of running) leave();
    for (const entered of waiting) (await entered)();
    (await admission.enter(response()))();
  });

  it('lets small reads pass large ones that wait', async () => {
    const { small, large } = readLanes(12);
    const running = await large.enter(response());
    const waiting = large.enter(response());
    for (let i = 0; i < 11; i++) await small.enter(response());
    running();
    (await waiting)();
    expect([readLanes(1), readLanes(2)].map((lanes) => lanes.small.expectedWaitMs)).toEqual([0, 0]);
  });
});
