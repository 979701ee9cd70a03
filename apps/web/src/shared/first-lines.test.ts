import { patience } from '@kindred/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { firstLines } from './first-lines.js';

afterEach(() => vi.unstubAllGlobals());
const { signal } = new AbortController();

it('reads the first lines of a long file and stops', async () => {
  const cancelled = vi.fn();
  let written = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(`line ${++written}\n`)),
    cancel: cancelled,
  });
  vi.stubGlobal('fetch', async () => new Response(body));
  expect(await firstLines('/x', signal)).toEqual([1, 2, 3, 4, 5, 6].map((at) => `line ${at}`));
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalled(), patience);
  expect(written).toBeLessThan(30);
});

it('cuts long lines, and gives none of an empty file', async () => {
  vi.stubGlobal('fetch', async () => new Response('x'.repeat(500)));
  expect((await firstLines('/x', signal))[0]).toHaveLength(402);
  vi.stubGlobal('fetch', async () => new Response(''));
  expect(await firstLines('/x', signal)).toEqual([]);
});

it('says why there is no file', async () => {
  vi.stubGlobal('fetch', async () => new Response('{"detail":"The set is filling."}', { status: 409 }));
  await expect(firstLines('/x', signal)).rejects.toThrow('The set is filling.');
});
