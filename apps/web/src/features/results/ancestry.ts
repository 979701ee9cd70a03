import type { SubgraphEdge } from '../../app/api/reference-data.js';

/** Returns the parents of each child. Edges lead from child to parent. */
export function parentsOf(edges: readonly SubgraphEdge[]): Map<string, string[]> {
  const parents = new Map<string, string[]>();
  for (const { source, target } of edges) parents.set(source, [...(parents.get(source) ?? []), target]);
  return parents;
}

/** Returns all terms above a term. */
export function ancestors(goId: string, parents: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set([goId]);
  const open = [goId];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const parent of parents.get(next) ?? []) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      open.push(parent);
    }
  }
  seen.delete(goId);
  return [...seen];
}

/** Returns a shortest path from the root to a term, with both. Of equally short paths the one whose terms come first by id is taken. */
export function pathToRoot(goId: string, edges: readonly SubgraphEdge[]): string[] {
  const parents = parentsOf(edges);
  const cameFrom = new Map<string, string | null>([[goId, null]]);
  for (const next of cameFrom.keys()) {
    const above = [...(parents.get(next) ?? [])].sort();
    if (above.length === 0) return [...waySince(next, cameFrom)];
    for (const parent of above) if (!cameFrom.has(parent)) cameFrom.set(parent, next);
  }
  return [goId];
}

function* waySince(id: string, cameFrom: ReadonlyMap<string, string | null>): Generator<string> {
  for (let at: string | null = id; at !== null; at = cameFrom.get(at) ?? null) yield at;
}
