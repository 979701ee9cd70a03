import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deathHeaders, deathOf, textHeaders } from './rabbitmq-headers.js';
import { delayQueue, longestDelayMs, roundUp } from './rabbitmq-topology.js';

describe('roundUp', () => {
  it('never makes a delay shorter, nor more than a tenth longer', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: longestDelayMs / 2, noNaN: true }), (delayMs) => {
        const rounded = roundUp(delayMs);
        expect(rounded).toBeGreaterThanOrEqual(delayMs);
        expect(rounded).toBeLessThanOrEqual(Math.ceil(delayMs) * 1.1);
        expect(roundUp(rounded)).toBe(rounded);
      }),
    );
  });

  it('makes at most 90 different delays between 10 s and 100 s', () => {
    const delays = Array.from({ length: 90_001 }, (_, index) => roundUp(10_000 + index));
    expect(new Set(delays).size).toBeLessThanOrEqual(91);
  });
});

describe('delayQueue', () => {
  it('lives longer than its messages and names its target', () => {
    const { queue, arguments: args } = delayQueue('svc.jobs', 1234, 'classic');
    expect(queue).toBe('svc.delay.1300.svc.jobs');
    expect(args['x-expires']).toBeGreaterThan(args['x-message-ttl']);
    expect(args['x-dead-letter-routing-key']).toBe('svc.jobs');
  });

  it('refuses a delay that RabbitMQ cannot keep', () => {
    expect(() => delayQueue('svc.jobs', longestDelayMs * 1.2, 'classic')).toThrow(RangeError);
  });
});

describe('headers of dead letters', () => {
  it('come off again whole', () => {
    const own = { traceparent: 't', 'x-retries': '3' };
    const dead = deathHeaders('svc.ping', own);
    expect(textHeaders(dead)).toEqual(own);
    expect(deathOf(dead).fromQueue).toBe('svc.ping');
    expect(Date.parse(deathOf(dead).diedAt)).toBeLessThanOrEqual(Date.now());
  });

  it('tell of deaths by the hand of the server too', () => {
    const headers = {
      'x-death': [
        { queue: 'svc.jobs', reason: 'rejected', time: 1_700_000_000 },
        { queue: 'svc.delay.100.svc.jobs', reason: 'expired', time: 1 },
      ],
      'x-first-death-queue': 'svc.delay.100.svc.jobs',
    };
    expect(deathOf(headers)).toEqual({ fromQueue: 'svc.jobs', diedAt: '2023-11-14T22:13:20.000Z' });
    expect(textHeaders(headers)).toEqual({});
  });
});
