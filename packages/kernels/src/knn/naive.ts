import { distanceBetween } from './distance.js';
import type { Neighbours, QueryBank, VectorBank, SearchOptions } from './types.js';

interface Candidate {
  reference: number;
  distance: number;
}

/**
 * Implements `search` in the simplest way: computes all distances of a query, sorts them, keeps one reference for each sequence and the
 * first k. Tests compare the other implementations with this one. The cost is O(queries x rows x (dimension + log rows)).
 */
export function searchNaive(bank: VectorBank, queries: QueryBank, options: SearchOptions): Neighbours[] {
  const subsets = options.subsets ?? [Int32Array.from(bank.rank.keys())];
  return subsets.map((subset) => searchSubset(bank, queries, options, new Set(subset)));
}

function searchSubset(
  bank: VectorBank,
  queries: QueryBank,
  options: SearchOptions,
  subset: ReadonlySet<number>,
): Neighbours {
  const nQuery = queries.count ?? queries.vectors.length / bank.dimension;
  const neighbours = new Int32Array(nQuery * options.k).fill(-1);
  const distances = new Float32Array(nQuery * options.k).fill(Number.POSITIVE_INFINITY);
  const threshold = Math.fround(options.distanceThreshold ?? Number.POSITIVE_INFINITY);
  for (let query = 0; query < nQuery; query++) {
    const own = options.includeSelf ? -1 : (queries.sequence?.[query] ?? -1);
    const candidates = allCandidates(bank, queries, options, query)
      .filter(({ reference }) => subset.has(reference))
      .filter(({ reference }) => own < 0 || bank.sequence[reference] !== own)
      .filter(({ distance }) => distance <= threshold)
      .sort(
        (a, b) =>
          a.distance - b.distance ||
          bank.rank[a.reference] - bank.rank[b.reference] ||
          a.reference - b.reference,
      );
    const seen = new Set<number>();
    for (const { reference, distance } of candidates) {
      if (seen.size === options.k) break;
      if (seen.has(bank.sequence[reference])) continue;
      neighbours[query * options.k + seen.size] = reference;
      distances[query * options.k + seen.size] = distance;
      seen.add(bank.sequence[reference]);
    }
  }
  return { nQuery, k: options.k, neighbours, distances };
}

function allCandidates(
  bank: VectorBank,
  queries: QueryBank,
  options: SearchOptions,
  query: number,
): Candidate[] {
  const { dimension } = bank;
  const candidates: Candidate[] = [];
  for (let q = 0; q < queries.vectors.length / dimension; q++) {
    if ((queries.query?.[q] ?? q) !== query) continue;
    const left = queries.vectors.subarray(q * dimension, (q + 1) * dimension);
    for (let row = 0; row < bank.reference.length; row++) {
      const right = bank.vectors.subarray(row * dimension, (row + 1) * dimension);
      candidates.push({
        reference: bank.reference[row],
        distance: distanceBetween(left, right, options.metric),
      });
    }
  }
  return candidates;
}
