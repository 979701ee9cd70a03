import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from './test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];

async function millisecondsOf(email: string): Promise<number> {
  const start = performance.now();
  const payload = { email, password: 'not the password' };
  const answer = await test.call({ method: 'POST', url: '/v1/auth/login', payload });
  const elapsed = performance.now() - start;
  expect(answer.status).toBe(401);
  return elapsed;
}

/** Pairs of refusals, taken in turns so that a busy machine slows both. KINDRED_TIMING_PAIRS=200 measures more finely. */
const pairs = Number(process.env.KINDRED_TIMING_PAIRS ?? 24);

it('takes as long to refuse an unknown e-mail as a known one', { timeout: 120_000 }, async () => {
  const { user } = await test.account('researcher');
  const known: number[] = [];
  const unknown: number[] = [];
  for (let n = 0; n < pairs; n++) {
    if (n % 8 === 0) await test.db.deleteFrom('quota').execute();
    const nobody = `nobody-${n}@example.org`;
    const [first, second] = n % 2 === 0 ? [user.email, nobody] : [nobody, user.email];
    const [one, two] = [await millisecondsOf(first), await millisecondsOf(second)];
    known.push(n % 2 === 0 ? one : two);
    unknown.push(n % 2 === 0 ? two : one);
  }
  const ratio = median(known) / median(unknown);
  // Without a decoy to verify, an unknown e-mail is refused ten times as fast.
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.7);
  if (pairs > 24)
    process.stdout.write(`median of ${pairs}: known ${median(known)}, unknown ${median(unknown)}\n`);
});
