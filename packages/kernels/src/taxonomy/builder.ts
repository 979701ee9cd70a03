import { GrowingInt32 } from '../arrays/index.js';
import { FormatError, type Rejection } from '../formats/format-error.js';
import type { MergedTaxon, TaxonNode } from './dump.js';
import { Taxonomy, type TaxonomyArrays } from './taxonomy.js';

export interface BuiltTaxonomy {
  taxonomy: Taxonomy;
  /** Lines of nodes.dmp, then of merged.dmp, that contradict other lines; their taxa are not in the taxonomy. */
  rejectedNodes: Rejection[];
  rejectedMerged: Rejection[];
}

const unknown = -1;
const lost = -2;
const onPath = -3;

/**
 * Collects nodes in any order and builds a tree. A taxon that is listed twice, has no parent in the file or does not reach
 * the root is left out with all its descendants and reported with its line, so that every lineage is complete.
 *
 * The cost is O(n), or O(n log n) if the ids do not ascend in the file (NCBI's do). The memory is 16 bytes for each node while
 * collecting.
 */
export class TaxonomyBuilder {
  readonly #ids = new GrowingInt32();
  readonly #parentIds = new GrowingInt32();
  readonly #ranks = new GrowingInt32();
  readonly #lines = new GrowingInt32();
  readonly #rankCodes = new Map<string, number>();
  readonly #merged: MergedTaxon[] = [];

  addNode({ id, parentId, rank, line }: TaxonNode): void {
    const code = this.#rankCodes.get(rank) ?? this.#rankCodes.size;
    this.#rankCodes.set(rank, code);
    this.#ids.push(id);
    this.#parentIds.push(parentId);
    this.#ranks.push(code);
    this.#lines.push(line);
  }

  addMerged(merged: MergedTaxon): void {
    this.#merged.push(merged);
  }

  /** @throws FormatError if there is no node, or no root (a node that is its own parent) */
  finish(): BuiltTaxonomy {
    const rejectedNodes: Rejection[] = [];
    const rows = this.#sortedRows(rejectedNodes);
    const tree = this.#climb(rows, rejectedNodes);
    const taxonomy = new Taxonomy({ ...tree, ...noMerged, rankNames: [...this.#rankCodes.keys()] });
    rejectedNodes.sort((a, b) => a.line - b.line);
    const { rejected, ...merged } = resolveMerged(this.#merged, taxonomy);
    return {
      taxonomy: new Taxonomy({ ...taxonomy.arrays, ...merged }),
      rejectedNodes,
      rejectedMerged: rejected,
    };
  }

  /** Returns the rows of distinct taxa by ascending id. The first row of an id is kept. */
  #sortedRows(rejected: Rejection[]): Int32Array {
    const ids = this.#ids.view();
    const rows = Int32Array.from(ids.keys());
    let ascends = true;
    for (let row = 1; row < ids.length && ascends; row++) ascends = ids[row - 1] <= ids[row];
    if (!ascends) rows.sort((a, b) => ids[a] - ids[b] || a - b);
    return rows.filter((row, at) => {
      if (at === 0 || ids[rows[at - 1]] !== ids[row]) return true;
      this.#reject(rejected, row, `taxon ${ids[row]} is in the file twice`);
      return false;
    });
  }

  /** Computes depths from the root, and leaves out taxa that do not reach it. */
  #climb(rows: Int32Array, rejected: Rejection[]) {
    const ids = rows.map((row) => this.#ids.at(row));
    const parentIds = rows.map((row) => this.#parentIds.at(row));
    const all = new Taxonomy({ ...emptyArrays, ids });
    const parent = parentIds.map((id) => all.indexOf(id));
    const depth = new Int32Array(rows.length).fill(unknown);
    const root = ids.findIndex((id, at) => id === parentIds[at]);
    if (root < 0) {
      throw new FormatError({
        line: 1,
        record: null,
        reason: 'no taxon is its own parent, so that the file has no root; is this a nodes.dmp?',
      });
    }
    depth[root] = 0;
    for (let node = 0; node < rows.length; node++) setDepths(node, parent, depth);
    const kept = rows.map((_, at) => at).filter((at) => depth[at] >= 0);
    const place = new Int32Array(rows.length);
    kept.forEach((at, index) => {
      place[at] = index;
    });
    if (kept.length < rows.length) {
      for (let at = 0; at < rows.length; at++) {
        if (depth[at] >= 0) continue;
        const reason =
          parent[at] < 0
            ? `parent ${parentIds[at]} of taxon ${ids[at]} is not in the file`
            : `the lineage of taxon ${ids[at]} does not reach the root`;
        this.#reject(rejected, rows[at], reason);
      }
    }
    return {
      ids: kept.map((at) => ids[at]),
      parent: kept.map((at) => place[parent[at]]),
      depth: kept.map((at) => depth[at]),
      rank: kept.map((at) => this.#ranks.at(rows[at])),
    };
  }

  #reject(rejected: Rejection[], row: number, reason: string): void {
    rejected.push({ line: this.#lines.at(row), record: String(this.#ids.at(row)), reason });
  }
}

const empty = new Int32Array(0);
const noMerged = { mergedIds: empty, mergedInto: empty };
const emptyArrays: TaxonomyArrays = {
  ids: empty,
  parent: empty,
  depth: empty,
  rank: empty,
  rankNames: [],
  ...noMerged,
};

/**
 * Climbs from `node` to the first node with known depth and sets the depth of all nodes on the path; `lost` for a cycle or a
 * missing parent.
 */
function setDepths(node: number, parent: Int32Array, depth: Int32Array): void {
  let steps = 0;
  let top = node;
  for (; top >= 0 && depth[top] === unknown; top = parent[top]) {
    depth[top] = onPath;
    steps++;
  }
  // This path reached itself: it is a cycle, or a second taxon that is its own parent.
  const above = top < 0 || depth[top] === onPath ? lost : depth[top];
  for (let at = node; at >= 0 && depth[at] === onPath; at = parent[at]) {
    depth[at] = above === lost ? lost : above + steps;
    steps--;
  }
}

function resolveMerged(merged: readonly MergedTaxon[], taxonomy: Taxonomy) {
  const rejected: Rejection[] = [];
  const next = new Map<number, number>();
  const into = new Map<number, number>();
  for (const { oldId, newId } of merged) next.set(oldId, newId);
  for (const { oldId, line } of merged) {
    const target = followMerged(oldId, next, taxonomy);
    let reason: string | null = null;
    if (taxonomy.indexOf(oldId) >= 0) reason = `taxon ${oldId} is a taxon of the taxonomy itself`;
    else if (target < 0) reason = `taxon ${next.get(oldId)} is not in the taxonomy`;
    if (reason === null) into.set(oldId, target);
    else rejected.push({ line, record: String(oldId), reason });
  }
  const mergedIds = Int32Array.from(into.keys()).sort();
  return { rejected, mergedIds, mergedInto: mergedIds.map((id) => into.get(id) as number) };
}

/** Follows chains, because a merged taxon may have been merged again. */
function followMerged(oldId: number, next: ReadonlyMap<number, number>, taxonomy: Taxonomy): number {
  let id = oldId;
  for (let step = 0; step <= next.size; step++) {
    const index = taxonomy.indexOf(id);
    const target = next.get(id);
    if (index >= 0 || target === undefined) return index;
    id = target;
  }
  return -1;
}
