/**
 * Edges grouped by node: the targets of node i are `targets[start[i] .. start[i + 1])`, and `edge` has the number of each in the input.
 */
export interface Adjacency {
  start: Int32Array;
  targets: Int32Array;
  edge: Int32Array;
}

/** Groups edges by source, and within a source by target, then by input order. Cost: O(nodes + edges). */
export function adjacencyOf(n: number, sources: ArrayLike<number>, targets: ArrayLike<number>): Adjacency {
  const count = sources.length;
  const identity = Int32Array.from({ length: count }, (_, e) => e);
  // The order comes from two stable passes of a counting sort: by target, then by source.
  const byTarget = countingSort(n, targets, identity).order;
  const { start, order } = countingSort(n, sources, byTarget);
  return { start, targets: order.map((e) => targets[e]), edge: order };
}

/** Reverses the direction of all edges. */
export function reversed(n: number, { start, targets }: Adjacency): Adjacency {
  const sources = new Int32Array(targets.length);
  for (let i = 0; i < n; i++) sources.fill(i, start[i], start[i + 1]);
  return adjacencyOf(n, targets, sources);
}

function countingSort(
  n: number,
  keys: ArrayLike<number>,
  items: Int32Array,
): { start: Int32Array; order: Int32Array } {
  const start = new Int32Array(n + 1);
  for (const item of items) start[keys[item] + 1]++;
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const next = start.slice(0, n);
  const order = new Int32Array(items.length);
  for (const item of items) order[next[keys[item]]++] = item;
  return { start, order };
}
