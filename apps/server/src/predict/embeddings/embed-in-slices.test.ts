import type { EmbeddingRecipe } from '@kindred/contracts';
import { afterEach, expect, it, vi } from 'vitest';
import type { ComputePool } from '../../ground/pool/pool.js';
import type { EmbedInput, EmbedOutput } from '../compute/tasks/embed.js';
import { embedInSlices } from './embed-in-slices.js';

/** Makes two rows for each sequence: its length, and its length negated. */
function embed({ sequences }: EmbedInput): EmbedOutput {
  const rows = sequences.flatMap((sequence, index) => [
    { index, value: sequence.length },
    { index, value: -sequence.length },
  ]);
  return {
    dimension: 1,
    sequenceIndex: Int32Array.from(rows, ({ index }) => index),
    chunkStart: Int32Array.from(rows, (_, row) => row % 2),
    chunkEnd: Int32Array.from(rows, ({ value }) => value),
    vectors: Uint16Array.from(rows, ({ value }) => value & 0xff),
    clipped: sequences.length,
    modelKept: sequences.length < 2,
    measured: { cosine: 0.5 },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

it('gives what one call with all sequences gives, and lets go of the thread in between', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const sizes: number[] = [];
  let millisecondsOfSlice = 20;
  const compute = {
    run: async (_task: unknown, input: EmbedInput) => {
      sizes.push(input.sequences.length);
      vi.advanceTimersByTime(millisecondsOfSlice);
      return embed(input);
    },
  } as unknown as ComputePool;
  const { signal } = new AbortController();
  const asked: unknown[] = [];
  const cacheAsked = (...cache: unknown[]) => asked.push(cache);
  const recipe = {} as EmbeddingRecipe;
  for (const lengths of [[], [7], [6000], [10, 20], [4000, 2000, 9000, 30, 40, 5000]]) {
    const sequences = lengths.map((length) => 'A'.repeat(length));
    expect(await embedInSlices(recipe, sequences, { compute, signal, cacheAsked })).toEqual({
      ...embed({ recipe, sequences }),
    });
  }
  expect(asked).toEqual(sizes.map((size) => ['model', size < 2]));
  expect(sizes).toEqual([0, 1, 1, 2, 2, 1, 3]);

  sizes.length = 0;
  millisecondsOfSlice = 19;
  const sequences = Array.from({ length: 40 }, () => 'A'.repeat(1000));
  expect(await embedInSlices(recipe, sequences, { compute, signal })).toEqual(embed({ recipe, sequences }));
  expect(sizes).toEqual([5, 20, 15]);
});
