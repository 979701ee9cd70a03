import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OntologyGraph } from '../ontology/index.js';
import { columnsOf } from '../ontology/testing/columns.js';
import { temporalHoldout } from './holdout.js';
import { type DatedAnnotations, type Holdout, holdoutCategories, type ProteinTerms } from './types.js';

type Aspect = 'P' | 'F' | 'C';
type Entry = [protein: number, term: number, negated: boolean];

/** The ontology has three aspects with one root and five terms each. Parents have smaller numbers. */
const perAspect = 6;
const aspects = (['P', 'F', 'C'] as Aspect[]).flatMap((aspect) => Array<Aspect>(perAspect).fill(aspect));
const proteinCount = 4;

function graphOf(edges: readonly (readonly [number, number])[]): OntologyGraph {
  return new OntologyGraph(
    columnsOf(
      aspects,
      edges.map(([child, parent]) => [child, parent, 0]),
      { termIds: aspects.map((aspect, i) => `${aspect}${i % perAspect}`) },
    ),
  );
}

const columns = (entries: readonly Entry[]): DatedAnnotations => ({
  protein: Int32Array.from(entries, ([protein]) => protein),
  term: Int32Array.from(entries, ([, term]) => term),
  negated: Uint8Array.from(entries, ([, , negated]) => Number(negated)),
});

const edges = fc
  .array(fc.tuple(fc.nat(2), fc.nat(perAspect - 2), fc.nat(perAspect - 2)), { maxLength: 20 })
  .map((picks) => {
    const own = picks.map(([aspect, a, b]): [number, number] => {
      const child = Math.max(a, b) + 1;
      return [aspect * perAspect + child, aspect * perAspect + Math.min(a, b)];
    });
    // Every term except the roots has a parent.
    const chain = [0, 1, 2].flatMap((aspect) =>
      Array.from({ length: perAspect - 1 }, (_, i): [number, number] => [
        aspect * perAspect + i + 1,
        aspect * perAspect,
      ]),
    );
    return [...chain, ...own];
  });
const entries = fc.array(
  fc.tuple(
    fc.nat(proteinCount - 1),
    fc.integer({ min: -1, max: aspects.length - 1 }),
    fc.nat(5).map((n) => n === 0),
  ),
  { maxLength: 25 },
);
const world = fc.record({ edges, before: entries, after: entries });

const run = (
  graph: OntologyGraph,
  before: readonly Entry[],
  after: readonly Entry[],
  uninformative?: ReadonlySet<number>,
): Holdout =>
  temporalHoldout({ graph, proteinCount, before: columns(before), after: columns(after), uninformative });
const pairs = ({ protein, term }: ProteinTerms): [number, number][] =>
  Array.from(protein, (p, i) => [p, term[i]]);

/** Computes the result by the definition in sets, one protein after the other, with ancestors by recursion over the edges. */
function slowly(
  edgeList: readonly (readonly [number, number])[],
  before: readonly Entry[],
  after: readonly Entry[],
): Record<'NK' | 'LK' | 'PK' | 'known', [number, number][]> {
  const up = (term: number): number[] => [
    term,
    ...edgeList.filter(([child]) => child === term).flatMap(([, parent]) => up(parent)),
  ];
  const isRoot = (term: number): boolean => term % perAspect === 0;
  const having = (list: readonly Entry[], protein: number): Set<number> => {
    const own = list.filter(([p, term]) => p === protein && term >= 0);
    const denied = own.filter(([, , negated]) => negated).map(([, term]) => term);
    const kept = own.filter(([, term, negated]) => !negated && !up(term).some((a) => denied.includes(a)));
    return new Set(kept.flatMap(([, term]) => up(term)).filter((term) => !isRoot(term)));
  };
  const found: Record<'NK' | 'LK' | 'PK' | 'known', [number, number][]> = {
    NK: [],
    LK: [],
    PK: [],
    known: [],
  };
  for (let protein = 0; protein < proteinCount; protein++) {
    const had = having(before, protein);
    const gained = [...having(after, protein)].filter((term) => !had.has(term));
    for (const term of gained) {
      const same = [...had].some((other) => aspects[other] === aspects[term]);
      found[had.size === 0 ? 'NK' : same ? 'PK' : 'LK'].push([protein, term]);
    }
    if (gained.length > 0) for (const term of had) found.known.push([protein, term]);
  }
  for (const list of Object.values(found)) list.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return found;
}

describe('the temporal holdout', () => {
  it('is what the definition says', () => {
    fc.assert(
      fc.property(world, ({ edges: edgeList, before, after }) => {
        const found = run(graphOf(edgeList), before, after);
        const expected = slowly(edgeList, before, after);
        for (const category of holdoutCategories)
          expect(pairs(found.truth[category])).toEqual(expected[category]);
        expect(pairs(found.known)).toEqual(expected.known);
      }),
      { numRuns: 400 },
    );
  });

  it('gains nothing where nothing changed, and everything where nothing was known', () => {
    fc.assert(
      fc.property(world, ({ edges: edgeList, after }) => {
        const graph = graphOf(edgeList);
        const same = run(graph, after, after);
        for (const category of holdoutCategories) expect(same.truth[category].term).toHaveLength(0);
        const fresh = run(graph, [], after);
        expect(fresh.truth.LK.term.length + fresh.truth.PK.term.length + fresh.known.term.length).toBe(0);
        expect(fresh.truth.NK.term.length).toBe(fresh.counts.after.pairs);
      }),
    );
  });

  it('does not depend on the order of entries, their repetition, or ancestors that are stated too', () => {
    fc.assert(
      fc.property(world, fc.nat(), ({ edges: edgeList, before, after }, turn) => {
        const graph = graphOf(edgeList);
        const at = after.length === 0 ? 0 : turn % after.length;
        const turned = [...after.slice(at), ...after.slice(0, at), ...after.slice(0, at)];
        const { truth, known } = run(graph, before, turned);
        expect({ truth, known }).toEqual({
          truth: run(graph, before, after).truth,
          known: run(graph, before, after).known,
        });
        const positive = after.filter(([, term, negated]) => !negated && term >= 0);
        const stated = positive.flatMap(([protein, term]): Entry[] =>
          Array.from(graph.ancestorsOf([term]), (ancestor): Entry => [protein, ancestor, false]),
        );
        expect(run(graph, before, stated).truth).toEqual(run(graph, before, positive).truth);
      }),
    );
  });

  it('never holds a known term, a root, or one protein and aspect in two categories', () => {
    fc.assert(
      fc.property(world, ({ edges: edgeList, before, after }) => {
        const { truth, known } = run(graphOf(edgeList), before, after);
        const all = holdoutCategories.flatMap((category) =>
          pairs(truth[category]).map(([protein, term]) => ({ category, protein, term })),
        );
        const knownKeys = new Set(pairs(known).map(String));
        const categories = new Map<string, string>();
        for (const { category, protein, term } of all) {
          expect(term % perAspect).not.toBe(0);
          expect(knownKeys.has(`${protein},${term}`)).toBe(false);
          const key = `${protein} ${aspects[term]}`;
          expect(categories.get(key) ?? category).toBe(category);
          categories.set(key, category);
        }
      }),
    );
  });
});

describe('rules one by one', () => {
  // Each aspect has the root 0, the chain 1 < 2 < 3, and 4 and 5 below the root.
  const chain = [0, 6, 12].flatMap((from): [number, number][] => [
    [from + 1, from],
    [from + 2, from + 1],
    [from + 3, from + 2],
    [from + 4, from],
    [from + 5, from],
  ]);
  const graph = graphOf(chain);

  it('puts one protein into different categories for different aspects', () => {
    const { truth } = run(
      graph,
      [
        [0, 1, false],
        [1, 6, false],
      ],
      [
        [0, 3, false],
        [0, 10, false],
        [1, 11, false],
      ],
    );
    expect(pairs(truth.PK)).toEqual([
      [0, 2],
      [0, 3],
    ]);
    expect(pairs(truth.LK)).toEqual([[0, 10]]);
    // A root alone does not count as knowledge.
    expect(pairs(truth.NK)).toEqual([[1, 11]]);
  });

  it('a more general term added later is not a gain', () => {
    const { truth } = run(
      graph,
      [[0, 3, false]],
      [
        [0, 3, false],
        [0, 1, false],
      ],
    );
    expect(truth.PK.term).toHaveLength(0);
  });

  it('NOT takes the term and what is below it, not what is above', () => {
    const positive: Entry[] = [
      [0, 1, false],
      [0, 3, false],
      [0, 4, false],
    ];
    const { truth, counts } = run(graph, [], [...positive, [0, 2, true]]);
    expect(pairs(truth.NK)).toEqual([
      [0, 1],
      [0, 4],
    ]);
    expect(counts.after).toMatchObject({ negations: 1, denied: 1 });
    // A NOT of another protein has no effect.
    expect(pairs(run(graph, [], [...positive, [1, 2, true]]).truth.NK)).toHaveLength(4);
  });

  it('leaves aspects out that gained only uninformative terms, and counts them', () => {
    const only = new Set([1, 2]);
    const { truth, counts, known } = run(
      graph,
      [[1, 7, false]],
      [
        [0, 2, false],
        [1, 2, false],
        [2, 3, false],
      ],
      only,
    );
    expect(pairs(truth.NK)).toEqual([
      [2, 1],
      [2, 2],
      [2, 3],
    ]);
    expect(truth.LK.term).toHaveLength(0);
    expect(known.term).toHaveLength(0);
    expect(counts.uninformativeOnly).toEqual({ NK: 1, LK: 1, PK: 0 });
  });

  it('refuses columns that do not fit', () => {
    expect(() => run(graph, [[proteinCount, 1, false]], [])).toThrow(RangeError);
    const short = { ...columns([[0, 1, false]]), negated: new Uint8Array(0) };
    expect(() => temporalHoldout({ graph, proteinCount, before: short, after: columns([]) })).toThrow(
      RangeError,
    );
  });
});
