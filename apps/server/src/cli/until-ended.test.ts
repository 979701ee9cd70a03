import { afterEach, expect, it, vi } from 'vitest';
import { sayingWhatGoesOn } from './until-ended.js';

afterEach(() => vi.restoreAllMocks());

it('says once what goes on, and ends by the signal', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const before = process.listenerCount('SIGINT');
  await sayingWhatGoesOn('The run goes on.', async () => process.emit('SIGINT', 'SIGINT'));
  expect(write.mock.calls).toEqual([['\nThe run goes on.\n']]);
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
  expect(process.listenerCount('SIGINT')).toBe(before);
});

it('says nothing about work that ends by itself', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await sayingWhatGoesOn('The run goes on.', async () => 3)).toBe(3);
  expect(write).not.toHaveBeenCalled();
});
