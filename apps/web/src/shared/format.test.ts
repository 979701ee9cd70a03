import { expect, it } from 'vitest';
import {
  formatAbout,
  formatAgo,
  formatBytes,
  formatCount,
  formatDay,
  formatDuration,
  formatReal,
  formatTook,
  percent,
  plural,
} from './format.js';

it('writes counts with their noun', () => {
  expect(formatCount(77_317)).toBe('77,317');
  expect([plural(1, 'protein'), plural(2000, 'protein'), plural(2, 'batch', 'batches')]).toEqual([
    '1 protein',
    '2,000 proteins',
    '2 batches',
  ]);
});

it('writes durations in the two largest units', () => {
  const seconds = [0, -3, 59.6, 60, 125, 3600, 3840, 200_000];
  expect(seconds.map(formatDuration)).toEqual([
    '0 s',
    '0 s',
    '1 min',
    '1 min',
    '2 min 5 s',
    '1 h',
    '1 h 4 min',
    '2 d 7 h',
  ]);
});

it('writes how long something took', () => {
  const start = '2026-01-01T00:00:00.000000Z';
  expect(formatTook(start, '2026-01-01T00:00:00.400000Z')).toBe('less than 1 s');
  expect(formatTook(start, Date.parse(start) + 61_000)).toBe('1 min 1 s');
});

it('writes how long ago something was', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  expect(formatAgo('2026-01-02T00:00:03Z', now)).toBe('just now');
  expect(formatAgo('2026-01-01T23:58:55Z', now)).toBe('1 min ago');
  expect(formatAgo('2025-12-01T00:00:00Z', now)).toMatch(/2025/);
});

it('writes bytes and reals', () => {
  expect([512, 1536, 50 * 2 ** 20, 3 * 2 ** 40].map(formatBytes)).toEqual([
    '512 bytes',
    '1.5 KiB',
    '50 MiB',
    '3072 GiB',
  ]);
  expect(formatReal(0.98765)).toBe('0.988');
  expect(percent(0.345)).toBe('35\u00a0%');
});

it.each([
  [0.2, '1 s'],
  [12, '12 s'],
  [41, '45 s'],
  [58, '1 min'],
  [61, '2 min'],
  [3_700, '1 h 5 min'],
])('estimates %s s as %s', (seconds, text) => {
  expect(formatAbout(seconds)).toBe(text);
});

it('writes days as people do', () => {
  expect(formatDay('releases/2022-07-01')).toBe('1 Jul 2022');
  expect(formatDay('2026-01-01T23:30:00Z')).toBe('1 Jan 2026');
  expect(formatDay('release 12')).toBe('release 12');
});
