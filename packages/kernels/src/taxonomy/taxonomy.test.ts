import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaxonomyBuilder } from './builder.js';
import { compareTaxa, type TaxonomicComparison } from './compare.js';
import type { Taxonomy } from './taxonomy.js';

type Edge = readonly [id: number, parentId: number];

function build(edges: readonly Edge[], merged: readonly Edge[] = []) {
  const builder = new TaxonomyBuilder();
  edges.forEach(([id, parentId], at) => {
    builder.addNode({ id, parentId, rank: at % 2 ? 'species' : 'no rank', line: at + 1 });
  });
  merged.forEach(([oldId, newId], at) => {
    builder.addMerged({ oldId, newId, line: at + 1 });
  });
  return builder.finish();
}

/** The trees are random on 1..n in random order, and their nodes have spread ids. */
const trees = fc.array(fc.nat(), { minLength: 0, maxLength: 60 }).chain((choices) => {
  const edges: Edge[] = [[1, 1]];
  choices.forEach((choice, at) => {
    edges.push([3 * at + 5, edges[choice % edges.length][0]]);
  });
  return fc.shuffledSubarray(edges, { minLength: edges.length });
});
/** The triples are a tree and three of its taxa. */
const triples = trees.chain((edges) => {
  const id = fc.constantFrom(...edges.map(([taxon]) => taxon));
  return fc.tuple(fc.constant(edges), id, id, id);
});

/** Compares taxa slowly: lineages are lists, and their intersection is a set. */
function naive(edges: readonly Edge[], a: number, b: number) {
  const parent = new Map(edges);
  const lineage = (id: number): number[] =>
    parent.get(id) === id ? [id] : [...lineage(parent.get(id) as number), id];
  const [left, right] = [lineage(a), lineage(b)];
  const shared = left.filter((id) => right.includes(id));
  const lca = shared[shared.length - 1];
  const distance = left.length + right.length - 2 * shared.length;
  const relation = () => {
    if (a === b) return 'same';
    if (parent.get(b) === a) return 'parent';
    if (parent.get(a) === b) return 'child';
    if (right.includes(a)) return 'ancestor';
    if (left.includes(b)) return 'descendant';
    if (shared.length === 1) return 'root-only';
    if (shared.length === 2) return 'distant';
    return shared.length <= 15 ? 'intermediate' : 'close';
  };
  return { lca, distance, commonAncestors: a === b ? 1 : shared.length, relation: relation() };
}

const mirrored: Record<string, string> = {
  parent: 'child',
  child: 'parent',
  ancestor: 'descendant',
  descendant: 'ancestor',
};

describe('compareTaxa', () => {
  it('equals the comparison of lineages as sets', () => {
    fc.assert(
      fc.property(triples, ([edges, a, b]) => {
        expect(compareTaxa(build(edges).taxonomy, a, b)).toEqual(naive(edges, a, b));
      }),
    );
  });

  it('is symmetric but for the direction of the relation, and its distance is a metric', () => {
    fc.assert(
      fc.property(triples, ([edges, a, b, c]) => {
        const { taxonomy } = build(edges);
        const there = compareTaxa(taxonomy, a, b) as TaxonomicComparison;
        const back = compareTaxa(taxonomy, b, a) as TaxonomicComparison;
        expect(back).toEqual({ ...there, relation: mirrored[there.relation] ?? there.relation });
        const distance = (x: number, y: number) => compareTaxa(taxonomy, x, y)?.distance as number;
        expect(distance(a, b) === 0).toBe(a === b);
        expect(distance(a, c)).toBeLessThanOrEqual(distance(a, b) + distance(b, c));
      }),
    );
  });

  it('tells every class apart on one long lineage', () => {
    // The chain is 1 - 2 - ... - 18, with a side branch 100 + n below each n.
    const chain: Edge[] = [[1, 1], ...Array.from({ length: 17 }, (_, n): Edge => [n + 2, n + 1])];
    const branches = Array.from({ length: 18 }, (_, n): Edge => [101 + n, n + 1]);
    const { taxonomy } = build([...chain, ...branches]);
    const of = (a: number | null, b: number | null) => {
      const found = compareTaxa(taxonomy, a, b);
      return found && [found.relation, found.distance, found.commonAncestors];
    };
    expect(of(7, 7)).toEqual(['same', 0, 1]);
    expect(of(7, 8)).toEqual(['parent', 1, 7]);
    expect(of(8, 7)).toEqual(['child', 1, 7]);
    expect(of(6, 8)).toEqual(['ancestor', 2, 6]);
    expect(of(8, 6)).toEqual(['descendant', 2, 6]);
    expect(of(101, 102)).toEqual(['root-only', 3, 1]);
    expect(of(102, 103)).toEqual(['distant', 3, 2]);
    expect(of(103, 104)).toEqual(['intermediate', 3, 3]);
    expect(of(115, 116)).toEqual(['intermediate', 3, 15]);
    expect(of(116, 117)).toEqual(['close', 3, 16]);
    for (const id of [null, 0, -5, 999]) expect([of(id, 7), of(7, id)]).toEqual([null, null]);
  });
});

describe('Taxonomy', () => {
  const ids = (taxonomy: Taxonomy, indices: Int32Array) => [...indices].map((at) => taxonomy.arrays.ids[at]);

  it('gives lineages from the root, ranks, and follows merged ids, also twice merged ones', () => {
    const { taxonomy, rejectedMerged } = build(
      [
        [30, 20],
        [1, 1],
        [20, 1],
      ],
      [
        [7, 30],
        [6, 7],
        [20, 30],
        [8, 99],
        [4, 5],
        [5, 4],
      ],
    );
    expect(ids(taxonomy, taxonomy.lineage(taxonomy.indexOf(30)))).toEqual([1, 20, 30]);
    expect([1, 20, 30].map((id) => taxonomy.rankOf(taxonomy.indexOf(id)))).toEqual([
      'species',
      'no rank',
      'no rank',
    ]);
    expect(compareTaxa(taxonomy, 6, 7)).toMatchObject({ lca: 30, relation: 'same' });
    expect(rejectedMerged.map(({ line }) => line)).toEqual([3, 4, 5, 6]);
    expect(taxonomy.indexOf(8)).toBe(-1);
  });

  it('leaves out what contradicts the tree, with all that hangs on it, by line', () => {
    const { taxonomy, rejectedNodes } = build([
      [1, 1],
      [2, 1],
      [3, 99],
      [4, 3],
      [5, 6],
      [6, 5],
      [7, 6],
      [2, 4],
      [8, 8],
      [9, 2],
    ]);
    expect([...taxonomy.arrays.ids]).toEqual([1, 2, 9]);
    expect(rejectedNodes.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'parent 99 of taxon 3 is not in the file'],
      [4, 'the lineage of taxon 4 does not reach the root'],
      [5, 'the lineage of taxon 5 does not reach the root'],
      [6, 'the lineage of taxon 6 does not reach the root'],
      [7, 'the lineage of taxon 7 does not reach the root'],
      [8, 'taxon 2 is in the file twice'],
      [9, 'the lineage of taxon 8 does not reach the root'],
    ]);
  });

  it.each([
    [[]],
    [[[2, 3]]],
    [
      [
        [2, 3],
        [3, 2],
      ],
    ],
  ] as Edge[][][])('refuses nodes without a root: %j', (edges) => {
    expect(() => build(edges)).toThrow('no root');
  });
});
