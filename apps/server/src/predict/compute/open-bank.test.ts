import type { NeighbourIndex } from '@kindred/native';
import { expect, it } from 'vitest';
import { searchView } from './open-bank.js';

/** Eight sequences lie at three distances, in the order of the file. */
const sequences = [0, 1, 2, 3, 4, 5, 6, 7];
const distances = [0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9];
const index = {
  search: async (_: unknown, { k }: { k: number }) => ({
    lists: [
      {
        nQuery: 1,
        k,
        neighbours: Int32Array.from({ length: k }, (_, i) => sequences[i] ?? -1),
        distances: Float32Array.from({ length: k }, (_, i) => distances[i] ?? Infinity),
      },
    ],
    uncertified: 0,
    compared: 0,
  }),
} as unknown as NeighbourIndex;
const queries = { vectors: new Float32Array(0) };
/** After the choice of proteins, the last sequences of the file come first. */
const firstReference = Int32Array.of(7, 6, 5, 4, 3, 2, 1, 0);

it.each([
  [false, 3, [0, 1, 2]],
  [true, 1, [0]],
  [true, 3, [0, 6, 5]],
  [true, 7, [0, 6, 5, 4, 3, 2, 1]],
  [true, 9, [0, 6, 5, 4, 3, 2, 1, 7, -1]],
])(
  'equal distances are in the order of the chosen references (%s, k %i)',
  async (isReordered, k, expected) => {
    const { lists } = await searchView(
      index,
      queries,
      { metric: 'cosine', k },
      { isReordered, firstReference },
    );
    expect([...lists[0].neighbours]).toEqual(expected);
    expect(lists[0].k).toBe(k);
    expect([...lists[0].distances]).toEqual([...lists[0].distances].sort());
  },
);
