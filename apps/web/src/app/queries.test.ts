import { Problem } from '@kindred/client';
import { environmentManager, QueryObserver } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createQueries } from './queries.js';

const problem = (status: number) =>
  new Problem({
    status,
    title: '',
    detail: '',
    code: '',
    errors: [],
    requestId: null,
    retryAfterSeconds: null,
  });

// The test acts as a browser, because the library does not poll elsewhere.
beforeAll(() => environmentManager.setIsServer(() => false));
afterAll(() => environmentManager.setIsServer(() => true));
afterEach(() => vi.useRealTimers());

/** Follows a query as a page does. Returns how often the query was sent within a minute, and what it shows then. */
async function follow(answers: (call: number) => string) {
  vi.useFakeTimers();
  let calls = 0;
  const observer = new QueryObserver(createQueries(), {
    queryKey: ['x'],
    queryFn: async () => answers(++calls),
  });
  const stop = observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  stop();
  return { calls, data: observer.getCurrentResult().data };
}

it('asks a service that is away again until it answers, and then no more', async () => {
  const found = await follow((call) => {
    if (call < 6) throw problem(0);
    return 'back';
  });
  expect(found).toEqual({ calls: 6, data: 'back' });
});

it('takes a refusal for an answer', async () => {
  const found = await follow(() => {
    throw problem(404);
  });
  expect(found).toEqual({ calls: 1, data: undefined });
});
