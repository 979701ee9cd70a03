import { type Adjacency, reversed } from './adjacency.js';

/**
 * Orders nodes so that every parent comes before its children, by Kahn's algorithm: first the nodes without parents by number, then the
 * others when all their parents are done. If there is a cycle, the result is the cycle: nodes from child to parent, with the first
 * repeated at the end.
 *
 * The cost is O(nodes + edges), without recursion.
 */
export function orderParentsFirst(
  parents: Adjacency,
  children: Adjacency = reversed(parents.start.length - 1, parents),
): { order: Int32Array; cycle: null } | { order: null; cycle: number[] } {
  const n = parents.start.length - 1;
  const waiting = new Int32Array(n);
  const order = new Int32Array(n);
  let filled = 0;
  for (let i = 0; i < n; i++) {
    waiting[i] = parents.start[i + 1] - parents.start[i];
    if (waiting[i] === 0) order[filled++] = i;
  }
  for (let head = 0; head < filled; head++) {
    for (let e = children.start[order[head]]; e < children.start[order[head] + 1]; e++) {
      if (--waiting[children.targets[e]] === 0) order[filled++] = children.targets[e];
    }
  }
  return filled === n ? { order, cycle: null } : { order: null, cycle: walkCycle(parents, waiting) };
}

/** Walks up to a cycle, which must exist because every waiting node has a waiting parent. */
function walkCycle(parents: Adjacency, waiting: Int32Array): number[] {
  const position = new Map<number, number>();
  const path: number[] = [];
  let node = waiting.findIndex((count) => count > 0);
  while (!position.has(node)) {
    position.set(node, path.length);
    path.push(node);
    let e = parents.start[node];
    while (waiting[parents.targets[e]] === 0) e++;
    node = parents.targets[e];
  }
  return [...path.slice(position.get(node)), node];
}
