/** The merge joins two clusters: numbers below the number of points are points, n + i is the cluster of merge i. */
export interface Merge {
  /** The smaller number comes first. */
  clusters: readonly [number, number];
  /** The mean distance between the points of the one and those of the other. */
  height: number;
}

export interface Clustering {
  /** The merges by ascending height; one less than there are points. */
  merges: Merge[];
  /** The numbers of the points from one side of the tree to the other, so that no branches cross. */
  order: number[];
}

/**
 * Clusters points by average linkage (UPGMA) of their Euclidean distances. The nearest-neighbour chain finds the merges; where distances
 * are equal, the smaller number wins.
 *
 * @param points as many values for each
 * Cost: O(n^2) time and memory for n points, beside the distances.
 * @cite Muellner2011
 */
export function averageLinkage(points: readonly (readonly number[])[]): Clustering {
  const found = chainMerges(distancesBetween(points), points.length);
  found.sort((a, b) => a.height - b.height);
  const merges = numbered(found, points.length);
  return { merges, order: leavesOf(merges, points.length) };
}

function distancesBetween(points: readonly (readonly number[])[]): Float64Array {
  const size = points.length;
  const distances = new Float64Array(size * size);
  for (let a = 0; a < size; a++)
    for (let b = a + 1; b < size; b++) {
      let sum = 0;
      for (let at = 0; at < points[a].length; at++) sum += (points[a][at] - points[b][at]) ** 2;
      distances[a * size + b] = distances[b * size + a] = Math.sqrt(sum);
    }
  return distances;
}

interface PointMerge {
  /** Each cluster is named by one of its points. */
  points: [number, number];
  height: number;
}

/** Finds the merges in the order of the chain. The joined cluster takes the place of the second one. */
function chainMerges(distances: Float64Array, size: number): PointMerge[] {
  const weights = new Int32Array(size).fill(1);
  const merges: PointMerge[] = [];
  const chain: number[] = [];
  while (merges.length < size - 1) {
    if (chain.length === 0) chain.push(weights.findIndex((weight) => weight > 0));
    for (;;) {
      const tip = chain[chain.length - 1];
      const before = chain[chain.length - 2] ?? -1;
      const next = nearestOf(tip, before, { distances, weights });
      if (next === before) break;
      chain.push(next);
    }
    const [a, b] = [chain.pop() as number, chain.pop() as number];
    merges.push({ points: [a, b], height: distances[a * size + b] });
    for (let other = 0; other < size; other++) {
      if (weights[other] === 0 || other === a || other === b) continue;
      const mean =
        (weights[a] * distances[a * size + other] + weights[b] * distances[b * size + other]) /
        (weights[a] + weights[b]);
      distances[b * size + other] = distances[other * size + b] = mean;
    }
    weights[b] += weights[a];
    weights[a] = 0;
  }
  return merges;
}

/** Finds the nearest cluster; of equally near ones `before`, so that the chain ends, else the smallest number. */
function nearestOf(
  tip: number,
  before: number,
  { distances, weights }: { distances: Float64Array; weights: Int32Array },
): number {
  const size = weights.length;
  let nearest = before;
  let least = before < 0 ? Infinity : distances[tip * size + before];
  for (let other = 0; other < size; other++)
    if (other !== tip && weights[other] > 0 && distances[tip * size + other] < least) {
      nearest = other;
      least = distances[tip * size + other];
    }
  return nearest;
}

/** Replaces the points that name clusters by the numbers of the clusters. */
function numbered(merges: readonly PointMerge[], size: number): Merge[] {
  const parent = Array.from({ length: 2 * size }, (_, at) => at);
  const top = (at: number): number => {
    let found = at;
    while (parent[found] !== found) {
      parent[found] = parent[parent[found]];
      found = parent[found];
    }
    return found;
  };
  return merges.map(({ points, height }, at) => {
    const [a, b] = points.map(top);
    parent[a] = parent[b] = size + at;
    return { clusters: a < b ? [a, b] : [b, a], height };
  });
}

function leavesOf(merges: readonly Merge[], size: number): number[] {
  const order: number[] = [];
  const open = size === 0 ? [] : [size + merges.length - 1];
  while (open.length > 0) {
    const cluster = open.pop() as number;
    if (cluster < size) order.push(cluster);
    else open.push(merges[cluster - size].clusters[1], merges[cluster - size].clusters[0]);
  }
  return order;
}
