/**
 * Order of nodes in which every parent comes before its children (Kahn's algorithm, lower index first within a wave),
 * or one cycle, as nodes from a child to its parent, the first repeated at the end.
 * `start` has n + 1 entries; parents of node i are `parents[start[i] .. start[i + 1])`.
 *
 * Cost: O(nodes + edges), no recursion.
 */
export function orderParentsFirst(
  start: Int32Array,
  parents: Int32Array,
): { order: Int32Array; cycle: null } | { order: null; cycle: number[] } {
  const n = start.length - 1;
  const { start: childStart, targets: children } = reverse(start, parents);
  const waiting = new Int32Array(n);
  const order = new Int32Array(n);
  let filled = 0;
  for (let i = 0; i < n; i++) {
    waiting[i] = start[i + 1] - start[i];
    if (waiting[i] === 0) order[filled++] = i;
  }
  for (let head = 0; head < filled; head++) {
    const node = order[head];
    for (let e = childStart[node]; e < childStart[node + 1]; e++) {
      if (--waiting[children[e]] === 0) order[filled++] = children[e];
    }
  }
  return filled === n ? { order, cycle: null } : { order: null, cycle: walkCycle(start, parents, waiting) };
}

/** The same edges seen from the other end; targets of a node ascend when the sources were visited in order. */
export function reverse(
  start: Int32Array,
  targets: Int32Array,
): { start: Int32Array; targets: Int32Array; edge: Int32Array } {
  const n = start.length - 1;
  const back = new Int32Array(n + 1);
  for (const target of targets) back[target + 1]++;
  for (let i = 0; i < n; i++) back[i + 1] += back[i];
  const fill = back.slice(0, n);
  const sources = new Int32Array(targets.length);
  const edge = new Int32Array(targets.length);
  for (let i = 0; i < n; i++) {
    for (let e = start[i]; e < start[i + 1]; e++) {
      const slot = fill[targets[e]]++;
      sources[slot] = i;
      edge[slot] = e;
    }
  }
  return { start: back, targets: sources, edge };
}

/** Every node that still waits has a parent that still waits, so walking up must come round. */
function walkCycle(start: Int32Array, parents: Int32Array, waiting: Int32Array): number[] {
  const position = new Map<number, number>();
  const path: number[] = [];
  let node = waiting.findIndex((count) => count > 0);
  while (!position.has(node)) {
    position.set(node, path.length);
    path.push(node);
    let e = start[node];
    while (waiting[parents[e]] === 0) e++;
    node = parents[e];
  }
  return [...path.slice(position.get(node)), node];
}
