import { patience } from '@kindred/testkit';
import { expect, it, vi } from 'vitest';
import { followOtherTabs } from './use-account.js';

it('forgets what was read when another tab signs in or out, until the page is left', async () => {
  const resetQueries = vi.fn(async () => undefined);
  const stop = followOtherTabs({ resetQueries });
  const other = new BroadcastChannel('kindred-account');
  other.postMessage('changed');
  await vi.waitFor(() => expect(resetQueries).toHaveBeenCalledTimes(1), patience);
  stop();
  other.close();
});
