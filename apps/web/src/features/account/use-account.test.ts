import { patience } from '@kindred/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { followOtherTabs } from './use-account.js';

afterEach(() => vi.unstubAllGlobals());

it('forgets what was read when another tab signs in or out, until the page is left', async () => {
  const toggleAttribute = vi.fn();
  vi.stubGlobal('document', { documentElement: { toggleAttribute } });
  const resetQueries = vi.fn(async () => undefined);
  const stop = followOtherTabs({ resetQueries });
  const other = new BroadcastChannel('kindred-account');
  other.postMessage(false);
  await vi.waitFor(() => expect(resetQueries).toHaveBeenCalledTimes(1), patience);
  other.postMessage(true);
  await vi.waitFor(() => expect(resetQueries).toHaveBeenCalledTimes(2), patience);
  // After a login in another tab the service is asked who is signed in, and after a logout no longer.
  expect(toggleAttribute.mock.calls).toEqual([
    ['data-visitor', false],
    ['data-visitor', true],
  ]);
  stop();
  other.close();
});
