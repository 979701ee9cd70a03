import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Pause,
  pauseSeconds,
  type RetryPolicy,
  retryPolicy,
  totalPauseSeconds,
} from './retry-policy.js';

const pauses = fc.record<Pause>({
  firstSeconds: fc.double({ min: 0, max: 600, noNaN: true }),
  factor: fc.integer({ min: 1, max: 4 }),
  longestSeconds: fc.double({ min: 0, max: 7200, noNaN: true }),
});

it('a pause grows by its factor, never falls, and ends at the longest', () => {
  const pause = { firstSeconds: 8, factor: 2, longestSeconds: 50 };
  expect([0, 1, 2, 3, 4].map((n) => pauseSeconds(pause, n))).toEqual([8, 16, 32, 50, 50]);
  fc.assert(
    fc.property(pauses, fc.nat(10_000), (any, n) => {
      const seconds = pauseSeconds(any, n);
      expect(seconds).toBeLessThanOrEqual(any.longestSeconds);
      expect(pauseSeconds(any, n + 1)).toBeGreaterThanOrEqual(seconds);
    }),
  );
});

it('the sum of the pauses is that of the pauses one by one', () => {
  const { batchError, jobConnection, busy } = retryPolicy;
  expect(totalPauseSeconds(batchError)).toBe(2 + 4 + 8);
  expect(totalPauseSeconds(jobConnection)).toBe(2 + 4 + 8 + 16 + 32 + 14 * 60);
  expect(totalPauseSeconds(busy)).toBe(Infinity);
});

it('what the specification fixes is so', () => {
  expect(retryPolicy.busy.pause).toMatchObject({ factor: 2, longestSeconds: 600 });
  // The specification says: a job is FAILED when its lease expires more than three times.
  expect(retryPolicy.vanishedJob.retries).toBe(3);
});

const sources = new URL('..', import.meta.url).pathname;
const code = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|^testing\/|retry-policy\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(sources, path), 'utf8') }));

it('each rule is one that the code follows: its tries where they are counted, its pauses where there are any', () => {
  const used = (name: string, part: string) =>
    code.some(({ text }) =>
      new RegExp(String.raw`\b(retries|retryPolicy)\.${name}\b(\.${part}|[,);])`).test(text),
    );
  for (const [name, rule] of Object.entries(retryPolicy as RetryPolicy)) {
    if (rule.retries !== Infinity) expect(used(name, 'retries'), name).toBe(true);
    if (rule.pause.longestSeconds > 0) expect(used(name, 'pause'), name).toBe(true);
  }
});

it('no other file makes a pause grow', () => {
  const growth = /\b(?!longest)\w*(?:pause|delay|wait)\w*\s*(?:\*\*?=|=[^=;]*(?:\* ?[2-9]\b|\*\*))/i;
  expect('this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs)').toMatch(growth);
  expect(code.filter(({ text }) => growth.test(text)).map(({ path }) => path)).toEqual([]);
});
