import { expect, it, vi } from 'vitest';
import { LastValue } from './last-value.js';

it('makes the value of a key once, also for callers at the same time, until another key comes', async () => {
  const last = new LastValue<string>();
  const make = vi.fn(async () => 'made');
  expect(await Promise.all([last.get('a', make), last.get('a', make)])).toEqual(['made', 'made']);
  await last.get('a', make);
  expect(make).toHaveBeenCalledTimes(1);
  await last.get('b', make);
  await last.get('a', make);
  expect(make).toHaveBeenCalledTimes(3);
});

it('keeps no failure', async () => {
  const last = new LastValue<string>();
  await expect(last.get('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(await last.get('a', async () => 'made')).toBe('made');
});

it('makes the value for a caller whose predecessor was cancelled', async () => {
  const last = new LastValue<string>();
  const cancelled = last.get('a', () => Promise.reject(new Error('cancelled')));
  const waiting = last.get('a', async () => 'made');
  await expect(cancelled).rejects.toThrow('cancelled');
  expect(await waiting).toBe('made');
});
