import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@kindred/kernels/arrays';
import { distanceBetween } from '@kindred/kernels/knn';
import { type AgreementCurve, nearestMergedNaive } from '@kindred/kernels/merging';
import { BankWriter } from '@kindred/native';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MergedEmbedding, type MergedOptions, searchMerged } from './merged-search.js';

/** The bank's sequences have these database ids, and vectors in three embeddings of other lengths. */
const sequenceIds = Float64Array.from({ length: 90 }, (_, i) => 10 + 3 * i);
const queryCount = 12;
const curves: AgreementCurve[] = [
  { distance: [0, 0.5, 1.5], agreement: [0.9, 0.5, 0.1] },
  { distance: [0.2, 0.9], agreement: [0.6, 0.3] },
  { distance: [0], agreement: [0.2] },
];
/** References are proteins: the last sequences belong to the first ones, as after a choice of sources. */
const firstReference = Int32Array.from(sequenceIds, (_, i) => sequenceIds.length - 1 - i);

interface Embedding {
  given: MergedEmbedding;
  /** Each sequence of the bank, and each query, has its vectors here. */
  references: Float32Array[][];
  queries: Float32Array[][];
}
let folder: string;
let embeddings: Embedding[];

/** Draws small whole numbers, so that ties are frequent; each sequence gets one or two vectors. */
function drawn(random: Random, dimension: number): Float32Array[] {
  return Array.from({ length: 1 + random.integer(2) }, () =>
    Float32Array.from({ length: dimension }, () => random.integer(3) - 1),
  );
}

async function embeddingOf(e: number): Promise<Embedding> {
  const random = new Random(e + 1);
  const dimension = [4, 7, 3][e];
  const references = Array.from(sequenceIds, () => drawn(random, dimension));
  const queries = Array.from({ length: queryCount }, () => drawn(random, dimension));
  // Each bank also has sequences that the others lack.
  const others = Array.from({ length: 5 * e }, (_, i) => ({
    id: 1 + 7 * i,
    vectors: drawn(random, dimension),
  }));
  const all = [...Array.from(sequenceIds, (id, i) => ({ id, vectors: references[i] })), ...others]
    .filter(({ id }, i, list) => list.findIndex((one) => one.id === id) === i)
    .sort((a, b) => a.id - b.id);
  const vectorsFile = join(folder, `${e}.bank`);
  const rows = all.flatMap(({ vectors }, number) => vectors.map((vector) => ({ number, vector })));
  const writer = new BankWriter(vectorsFile, {
    dimension,
    rows: rows.length,
    reference: Int32Array.from(rows, ({ number }) => number),
    sequence: Int32Array.from(all.keys()),
    rank: Int32Array.from(all.keys()),
  });
  for (const { vector } of rows) writer.append(vector);
  await writer.finishInTurns();
  const queryRows = queries.flatMap((vectors, query) => vectors.map((vector) => ({ query, vector })));
  return {
    references,
    queries,
    given: {
      curve: curves[e],
      vectorsFile,
      sequenceIds: Float64Array.from(all, ({ id }) => id),
      vectors: Float32Array.from(queryRows.flatMap(({ vector }) => [...vector])),
      queryOfRow: Int32Array.from(queryRows, ({ query }) => query),
    },
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-merged-'));
  embeddings = [await embeddingOf(0), await embeddingOf(1), await embeddingOf(2)];
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const all = Int32Array.from(sequenceIds.keys());
const even = all.filter((sequence) => sequence % 2 === 0);
const few = Int32Array.of(3, 40, 41);
/** Every third query is a sequence of the bank. */
const own = Int32Array.from({ length: queryCount }, (_, q) => (q % 3 === 0 ? 4 * q : -1));

function search(chosen: readonly Embedding[], options: Partial<MergedOptions> & { k: number }) {
  return searchMerged(
    { bank: { firstReference }, sequenceIds },
    { embeddings: chosen.map(({ given }) => given), count: queryCount, sequence: own },
    { metric: 'cosine', subsets: [all, even, few], ...options },
  );
}

/** Computes, merges and sorts all distances of a query. */
function slowly(
  chosen: readonly Embedding[],
  query: number,
  members: Int32Array,
  { k, includeSelf = false }: { k: number; includeSelf?: boolean },
) {
  const kept = members.filter((sequence) => includeSelf || sequence !== own[query]);
  // The order of the sequences breaks ties.
  const order = kept.toSorted((a, b) => firstReference[a] - firstReference[b]);
  const merged = nearestMergedNaive(
    chosen.map(({ references, queries, given: { curve } }) => ({
      curve,
      distances: Float32Array.from(order, (sequence) =>
        Math.min(
          ...references[sequence].flatMap((left) =>
            queries[query].map((right) => distanceBetween(left, right, 'cosine')),
          ),
        ),
      ),
    })),
    k,
  );
  return merged.map(({ reference, distance }) => ({ sequence: order[reference], distance }));
}

describe('several embeddings searched together', () => {
  it.each([
    [2, 3, false, 1024],
    [3, 5, false, 1024],
    [3, 40, true, 1024],
    [1, 4, false, 1024],
    [3, 5, false, 8],
  ])(
    '%i embeddings: the %i nearest are those of all distances',
    async (count, k, includeSelf, longestLists) => {
      const chosen = embeddings.slice(0, count);
      const { lists, uncertified } = await search(chosen, { k, includeSelf, longestLists });
      expect(uncertified).toBe(longestLists < 32 ? queryCount : 0);
      for (const [s, members] of [all, even, few].entries())
        for (let query = 0; query < queryCount; query++) {
          const found = Array.from({ length: k }, (_, i) => ({
            sequence: lists[s].neighbours[query * k + i],
            distance: lists[s].distances[query * k + i],
          })).filter(({ sequence }) => sequence >= 0);
          expect(found).toEqual(slowly(chosen, query, members, { k, includeSelf }));
        }
    },
  );

  it('gives the same in any order of the embeddings', async () => {
    const { lists } = await search(embeddings, { k: 6 });
    const [a, b, c] = embeddings;
    expect((await search([c, a, b], { k: 6 })).lists).toEqual(lists);
  });

  it('gives the same for one embedding twice as for it alone', async () => {
    const [a] = embeddings;
    expect((await search([a, a], { k: 6 })).lists).toEqual((await search([a], { k: 6 })).lists);
  });

  it('leaves out neighbours beyond a threshold', async () => {
    const whole = (await search(embeddings, { k: 6 })).lists[0];
    const threshold = whole.distances[3];
    const { neighbours, distances } = (await search(embeddings, { k: 6, distanceThreshold: threshold }))
      .lists[0];
    whole.distances.forEach((distance, i) => {
      expect(neighbours[i]).toBe(distance <= threshold ? whole.neighbours[i] : -1);
      expect(distances[i]).toBe(distance <= threshold ? distance : Infinity);
    });
  });
});
