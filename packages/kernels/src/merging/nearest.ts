import { type AgreementCurve, agreementAt } from './agreement.js';

/** The distances of one query to the references in one embedding. */
export interface QueryDistances {
  curve: AgreementCurve;
  /** The nearest references, nearest first. */
  nearest: readonly { reference: number; distance: number }[];
  /** Whether the list has all references. */
  isComplete: boolean;
  /** Returns the distance of any reference, as the list would have it. */
  distanceOf(reference: number): number;
}

export interface MergedNeighbour {
  reference: number;
  /** The merged distance, 2 (1 - mean agreement): 0 to 2, float32. */
  distance: number;
}

/**
 * Returns the merged distance of a reference: 2 (1 - a), where a is the mean of the agreements that its distances in all embeddings stand
 * for. So 1 - distance / 2 is the expected agreement. The distance does not depend on the order of the embeddings. A single embedding
 * that is given twice counts as if it were given once.
 */
export function mergedDistance(agreements: readonly number[]): number {
  const sum = [...agreements].sort((a, b) => a - b).reduce((all, one) => all + one, 0);
  return Math.fround(2 * (1 - sum / agreements.length));
}

/**
 * Finds the k references with the smallest merged distances; equal ones are in order of reference. The result is null if a reference that
 * is in no list could be among them: then longer lists are needed. The proof: a reference outside of all lists is, in each embedding, at
 * least as far as the last one of its list (threshold algorithm).
 *
 * The cost is O(length of all lists x embeddings) distances.
 * @cite Fagin2003
 */
export function nearestMerged(embeddings: readonly QueryDistances[], k: number): MergedNeighbour[] | null {
  const met = new Set(embeddings.flatMap(({ nearest }) => nearest.map(({ reference }) => reference)));
  const known = embeddings.map(
    ({ nearest }) => new Map(nearest.map(({ reference, distance }) => [reference, distance])),
  );
  const found = Array.from(met, (reference): MergedNeighbour => {
    const agreements = embeddings.map(({ curve, distanceOf }, e) =>
      agreementAt(curve, known[e].get(reference) ?? distanceOf(reference)),
    );
    return { reference, distance: mergedDistance(agreements) };
  });
  found.sort((a, b) => a.distance - b.distance || a.reference - b.reference);
  const best = found.slice(0, k);
  if (embeddings.some(({ isComplete }) => isComplete)) return best;
  if (best.length < k || embeddings.some(({ nearest }) => nearest.length === 0)) return null;
  const closestUnmet = mergedDistance(
    embeddings.map(({ curve, nearest }) => agreementAt(curve, nearest[nearest.length - 1].distance)),
  );
  return best[k - 1].distance < closestUnmet ? best : null;
}

/**
 * Does the same in the simplest way: orders all references by their merged distances. `distances` has a Float32 [references] for each
 * embedding.
 */
export function nearestMergedNaive(
  embeddings: readonly { curve: AgreementCurve; distances: Float32Array }[],
  k: number,
): MergedNeighbour[] {
  return Array.from(embeddings[0].distances, (_, reference): MergedNeighbour => {
    const agreements = embeddings.map(({ curve, distances }) => agreementAt(curve, distances[reference]));
    return { reference, distance: mergedDistance(agreements) };
  })
    .sort((a, b) => a.distance - b.distance || a.reference - b.reference)
    .slice(0, k);
}
