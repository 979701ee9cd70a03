import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taxonomicRelations } from '../taxonomy/index.js';
import { type PairFeatureInput, type PairFeatures, pairFeatures, type TermLists } from './index.js';

const termCount = 8;
const dimension = 4;

interface Source {
  term: number;
  sequence: number;
  distance: number;
  relation: number;
  common: number;
}
interface Query {
  sources: Source[];
  known: number[];
  vector: number[];
}
interface World {
  /** The parents of each term have lower numbers. */
  parents: number[][];
  aspect: number[];
  termVectors: (number[] | null)[];
  queries: Query[];
}

const small = fc.integer({ min: -8, max: 8 }).map((n) => n / 4);
const vector = fc.array(small, { minLength: dimension, maxLength: dimension });
const distinct = (max: number) => fc.uniqueArray(fc.nat(termCount - 1), { maxLength: max });
const query: fc.Arbitrary<Query> = fc.record({
  sources: fc
    .array(
      fc.record({
        term: fc.nat(termCount - 1),
        sequence: fc.nat(3),
        distance: fc.constant(0),
        relation: fc.nat(taxonomicRelations.length - 1),
        common: fc.integer({ min: -1, max: 20 }),
      }),
      { maxLength: 12 },
    )
    // The sources are in the order of `transferTerms`: by term, nearest sequence first. Each sequence has one distance.
    .map((sources) =>
      sources
        .map((source) => ({ ...source, distance: Math.fround(0.1 + source.sequence * 0.17) }))
        .sort((a, b) => a.term - b.term || a.distance - b.distance),
    ),
  known: distinct(4),
  vector,
});
const world: fc.Arbitrary<World> = fc
  .record({
    above: fc.array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: termCount, maxLength: termCount }),
    aspect: fc.array(fc.nat(1), { minLength: termCount, maxLength: termCount }),
    termVectors: fc.array(fc.option(vector.filter((v) => v.some((x) => x !== 0))), {
      minLength: termCount,
      maxLength: termCount,
    }),
    queries: fc.array(query, { maxLength: 5 }),
  })
  .map(({ above, ...rest }) => ({
    ...rest,
    parents: above.map((list, term) => (term === 0 ? [] : [...new Set(list.map((n) => n % term))])),
  }));

function closureOf({ parents }: World, term: number): Set<number> {
  const seen = new Set([term]);
  for (const one of seen) for (const parent of parents[one]) seen.add(parent);
  return seen;
}

function lists(rows: readonly (readonly number[])[]): TermLists {
  const start = [0];
  for (const row of rows) start.push(start[start.length - 1] + row.length);
  return { start: Int32Array.from(start), terms: Int32Array.from(rows.flat()) };
}

const unit = (v: number[]) => v.map((x) => x / Math.hypot(...v));
const components = [
  [0.5, 0.5, 0.5, 0.5],
  [0.5, -0.5, 0.5, -0.5],
];

function inputOf(of: World, queries: readonly Query[] = of.queries): PairFeatureInput {
  const sources = queries.flatMap((one, at) => one.sources.map((source) => ({ ...source, query: at })));
  const ints = (pick: (source: (typeof sources)[number]) => number) => Int32Array.from(sources, pick);
  const withVector = of.termVectors.map((v, term) => ({ v, term })).filter(({ v }) => v !== null);
  const row = new Int32Array(termCount).fill(-1);
  withVector.forEach(({ term }, at) => {
    row[term] = at;
  });
  return {
    rows: {
      query: ints((source) => source.query),
      term: ints((source) => source.term),
      sequence: ints((source) => source.sequence),
      distance: Float32Array.from(sources, (source) => source.distance),
    },
    queryCount: queries.length,
    termAspect: Uint8Array.from(of.aspect),
    known: lists(queries.map((one) => one.known)),
    closure: lists(
      Array.from({ length: termCount }, (_, term) => [...closureOf(of, term)].sort((a, b) => a - b)),
    ),
    projection: {
      dimension,
      axes: 2,
      mean: new Float32Array(dimension).fill(0.25),
      components: Float32Array.from(components.flat()),
    },
    vectors: Float32Array.from(queries.flatMap((one) => one.vector)),
    queryOfVector: Int32Array.from(queries.keys()),
    taxa: {
      relation: Uint8Array.from(sources, (source) => source.relation),
      commonAncestors: ints((source) => source.common),
    },
    termVectors: {
      dimension,
      row,
      vectors: Float32Array.from(withVector.flatMap(({ v }) => unit(v as number[]))),
    },
  };
}

type Plain = Record<string, number>;
const near = ['same', 'parent', 'child', 'ancestor', 'descendant', 'close'];

/** Computes the features by their definitions, pair by pair. */
function plainRows(of: World): Plain[] {
  return of.queries.flatMap((one) =>
    [...new Set(one.sources.map((source) => source.term))].map((term): Plain => {
      const sources = one.sources.filter((source) => source.term === term);
      const distances = [...new Map(sources.map((source) => [source.sequence, source.distance])).values()];
      const compared = sources.filter((source) => source.common >= 0);
      const names = compared.map((source) => taxonomicRelations[source.relation]);
      const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
      const others = one.known.filter((known) => known !== term);
      const predicted = [...new Set(one.sources.map((source) => source.term))];
      const [cosine, largest] = plainCosines(of, term, predicted);
      const [knownCosine, knownLargest] = plainCosines(of, term, one.known);
      const shifted = one.vector.map((x) => x - 0.25);
      const along = (axis: number) => components[axis].reduce((sum, c, d) => sum + c * shifted[d], 0);
      return {
        min: Math.min(...distances),
        mean: mean(distances),
        same: names.filter((name) => name === 'same').length / names.length,
        close: names.filter((name) => near.includes(name)).length / names.length,
        common: mean(compared.map((source) => source.common)),
        ancestorOf: others.filter((known) => closureOf(of, known).has(term)).length,
        descendantOf: others.filter((known) => closureOf(of, term).has(known)).length,
        hasVector: of.termVectors[term] === null ? 0 : 1,
        cosine,
        largest,
        knownCosine,
        knownLargest,
        knownCount: one.known.filter((known) => of.aspect[known] === of.aspect[term] && of.termVectors[known])
          .length,
        axis0: along(0),
        axis1: along(1),
      };
    }),
  );
}

function plainCosines(of: World, term: number, candidates: number[]): [number, number] {
  const own = of.termVectors[term];
  const others = candidates
    .filter((other) => other !== term && of.aspect[other] === of.aspect[term])
    .map((other) => of.termVectors[other])
    .filter((v) => v !== null)
    .map(unit);
  if (own === null || others.length === 0) return [Number.NaN, Number.NaN];
  const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const mean = own.map((_, d) => others.reduce((sum, v) => sum + v[d], 0));
  const length = Math.hypot(...mean);
  return [
    length < 1e-6 ? Number.NaN : dot(unit(own), mean) / length,
    Math.max(...others.map((v) => dot(unit(own), v))),
  ];
}

function rowsOf(found: PairFeatures, pairQuery: number[]): Plain[] {
  const { lineage, taxa, termVectors, projected } = found;
  return Array.from({ length: found.pairCount }, (_, at) => ({
    min: found.minDistance[at],
    mean: found.meanDistance[at],
    same: taxa?.same[at] ?? Number.NaN,
    close: taxa?.close[at] ?? Number.NaN,
    common: taxa?.meanCommonAncestors[at] ?? Number.NaN,
    ancestorOf: lineage.ancestorOf[at],
    descendantOf: lineage.descendantOf[at],
    hasVector: termVectors?.hasVector[at] ?? Number.NaN,
    cosine: termVectors?.neighbourCosine[at] ?? Number.NaN,
    largest: termVectors?.neighbourLargestCosine[at] ?? Number.NaN,
    knownCosine: termVectors?.knownCosine[at] ?? Number.NaN,
    knownLargest: termVectors?.knownLargestCosine[at] ?? Number.NaN,
    knownCount: termVectors?.knownCount[at] ?? Number.NaN,
    axis0: projected?.[pairQuery[at] * 2] ?? Number.NaN,
    axis1: projected?.[pairQuery[at] * 2 + 1] ?? Number.NaN,
  }));
}

const pairQueries = (queries: readonly Query[]) =>
  queries.flatMap((one, at) => [...new Set(one.sources.map((source) => source.term))].map(() => at));

describe('pairFeatures', () => {
  it('are the plain definitions', () => {
    fc.assert(
      fc.property(world, (of) => {
        const found = rowsOf(pairFeatures(inputOf(of)), pairQueries(of.queries));
        const expected = plainRows(of);
        expect(found).toHaveLength(expected.length);
        found.forEach((row, at) => {
          for (const [name, value] of Object.entries(expected[at])) {
            // A mean of vectors that cancel out up to rounding has no direction.
            if (Number.isNaN(value) && /osine$/.test(name)) continue;
            if (Number.isNaN(value)) expect(row[name], name).toBeNaN();
            else expect(row[name], name).toBeCloseTo(value, 5);
          }
        });
      }),
      { numRuns: 200 },
    );
  });

  it('of a query are the same to the last bit alone and among others, in any order', () => {
    fc.assert(
      fc.property(world, (of) => {
        const together = rowsOf(pairFeatures(inputOf(of)), pairQueries(of.queries));
        const alone = of.queries.flatMap((one) =>
          rowsOf(pairFeatures(inputOf(of, [one])), pairQueries([one])),
        );
        expect(alone).toEqual(together);
        const backwards = [...of.queries].reverse();
        const turned = backwards.flatMap((one) =>
          rowsOf(pairFeatures(inputOf(of, [one])), pairQueries([one])),
        );
        expect(rowsOf(pairFeatures(inputOf(of, backwards)), pairQueries(backwards))).toEqual(turned);
      }),
    );
  });

  it('leave out what is not there, and stop when asked to', () => {
    const of: World = {
      parents: Array.from({ length: termCount }, () => []),
      aspect: new Array(termCount).fill(0),
      termVectors: new Array(termCount).fill(null),
      queries: [
        {
          sources: [{ term: 1, sequence: 0, distance: 0.5, relation: 0, common: 1 }],
          known: [],
          vector: [1, 0, 0, 0],
        },
      ],
    };
    const input = inputOf(of);
    const found = pairFeatures({ ...input, taxa: null, termVectors: null, projection: null });
    expect(found).toMatchObject({ pairCount: 1, taxa: null, termVectors: null, projected: null });
    expect(() => pairFeatures({ ...input, isAborted: () => true })).toThrow('aborted');
  });
});
