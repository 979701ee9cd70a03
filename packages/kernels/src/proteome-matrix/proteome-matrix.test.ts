import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OntologyGraph, parseObo } from '../ontology/index.js';
import { averageLinkage, chiSquareTail, differencesBetween, heatMapSvg, proteinsWithTerm } from './index.js';

interface Golden {
  tails: [number, number, number][];
  tables: { sizes: number[]; rows: number[][]; tested: [number | null, number | null][] }[];
  clusterings: { points: number[][]; merges: [number, number, number][]; order: number[] }[];
}
const golden = JSON.parse(readFileSync(new URL('golden/scipy.json', import.meta.url), 'utf8')) as Golden;
const near = (value: number, expected: number, error: number) =>
  expect(Math.abs(value - expected), `${value}, not ${expected}`).toBeLessThanOrEqual(error * expected);

describe('the chi-square distribution', () => {
  it('has the tails of SciPy', () => {
    expect(golden.tails).toHaveLength(60);
    for (const [x, degrees, tail] of golden.tails) near(chiSquareTail(x, degrees), tail, 1e-11);
  });

  it('is refused without degrees of freedom, and for a negative value', () => {
    for (const [x, degrees] of [
      [1, 0],
      [1, 1.5],
      [-1, 2],
    ])
      expect(() => chiSquareTail(x, degrees)).toThrow(RangeError);
  });
});

describe('differences between proteomes', () => {
  it('have the probabilities of SciPy and the rates of statsmodels', () => {
    for (const { sizes, rows, tested } of golden.tables) {
      const own = differencesBetween(
        rows.map((counts) => ({ aspect: 'F', counts })),
        sizes,
      );
      for (const [at, [p, rate]] of tested.entries()) {
        const { test, pValue, qValue } = own[at];
        if (p === null || rate === null) {
          expect(['none', 'too_few']).toContain(test);
          expect([pValue, qValue]).toEqual([null, null]);
          continue;
        }
        expect(test).toBe(sizes.length === 2 ? 'fisher' : 'chi_square');
        // SciPy's Fisher test loses digits where all tables are summed.
        near(Number(pValue), p, 1e-7);
        near(Number(qValue), rate, 1e-7);
      }
    }
  });

  it('have rates of their own aspect, and the smallest expected number', () => {
    const counts = [5, 20];
    const [one, other, second] = differencesBetween(
      [
        { aspect: 'F', counts },
        { aspect: 'P', counts },
        { aspect: 'P', counts: [10, 11] },
      ],
      [50, 50],
    );
    expect(one.qValue).toBe(one.pValue);
    expect(other.qValue).toBeCloseTo(2 * Number(one.pValue), 12);
    expect(second.qValue).toBe(second.pValue);
    expect(one.leastExpected).toBe(12.5);
  });

  it('are not tested by chi-square where less than one protein is expected', () => {
    const sizes = [100, 100, 20];
    const testOf = (counts: number[]) => differencesBetween([{ aspect: 'F', counts }], sizes)[0];
    expect(testOf([5, 5, 0])).toMatchObject({ test: 'too_few', pValue: null, qValue: null });
    expect(testOf([6, 5, 0])).toMatchObject({ test: 'chi_square', leastExpected: 1 });
    expect(testOf([95, 95, 19]).test).toBe('chi_square');
    expect(testOf([97, 97, 19]).test).toBe('too_few');
  });

  it('leave a proteome without proteins out', () => {
    const [whole] = differencesBetween([{ aspect: 'F', counts: [5, 20] }], [50, 50]);
    const [found] = differencesBetween([{ aspect: 'F', counts: [5, 0, 20] }], [50, 0, 50]);
    expect(found).toEqual(whole);
    expect(differencesBetween([{ aspect: 'F', counts: [5, 0] }], [50, 0])[0].test).toBe('none');
  });
});

/** Joins the two nearest clusters until one is left; the distance is the mean over all pairs of points. */
function slowLinkage(points: number[][]): number[] {
  let clusters = points.map((point) => [point]);
  const heights: number[] = [];
  const distance = (a: number[], b: number[]) => Math.hypot(...a.map((value, at) => value - b[at]));
  while (clusters.length > 1) {
    let best = { a: 0, b: 1, height: Infinity };
    for (let a = 0; a < clusters.length; a++)
      for (let b = a + 1; b < clusters.length; b++) {
        const pairs = clusters[a].flatMap((one) => clusters[b].map((two) => distance(one, two)));
        const height = pairs.reduce((sum, one) => sum + one, 0) / pairs.length;
        if (height < best.height) best = { a, b, height };
      }
    heights.push(best.height);
    const joined = [...clusters[best.a], ...clusters[best.b]];
    clusters = [...clusters.filter((_, at) => at !== best.a && at !== best.b), joined];
  }
  return heights;
}

describe('average linkage', () => {
  it('makes the tree of SciPy', () => {
    for (const { points, merges, order } of golden.clusterings) {
      const own = averageLinkage(points);
      expect(own.merges.map(({ clusters }) => clusters)).toEqual(merges.map(([a, b]) => [a, b]));
      for (const [at, { height }] of own.merges.entries()) near(height, merges[at][2], 1e-12);
      expect(own.order).toEqual(order);
    }
  });

  it('has the heights of joining the nearest again and again', () => {
    const values = fc.double({ min: 0, max: 1, noNaN: true });
    const all = fc.array(fc.tuple(values, values), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(all, (points) => {
        const { merges, order } = averageLinkage(points);
        expect(order.toSorted((a, b) => a - b)).toEqual(points.map((_, at) => at));
        const distinct = new Set(
          points.flatMap((a, i) => points.slice(i + 1).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1]))),
        );
        // Where distances are equal, several trees are right.
        fc.pre(distinct.size === (points.length * (points.length - 1)) / 2);
        for (const [at, height] of slowLinkage(points).entries())
          expect(merges[at].height).toBeCloseTo(height, 9);
      }),
    );
  });

  it('takes no point, one point and equal points', () => {
    expect(averageLinkage([])).toEqual({ merges: [], order: [] });
    expect(averageLinkage([[1]])).toEqual({ merges: [], order: [0] });
    expect(averageLinkage([[1], [1], [1]]).order.toSorted()).toEqual([0, 1, 2]);
  });
});

describe('a heat map', () => {
  const proteomes = [
    { name: 'A & <b>', proteins: 100 },
    { name: 'B', proteins: 50 },
    { name: 'empty', proteins: 0 },
  ];
  const rows = [
    { name: 'binding', counts: [50, 5, 0], differs: true },
    { name: 'x'.repeat(80), counts: [0, 0, 0], differs: false },
  ];
  const svg = heatMapSvg({ proteomes, rows });

  it('has a cell for each share, darker for larger ones, with its count in words', () => {
    expect([...svg.matchAll(/<rect x/g)]).toHaveLength(6 + 6);
    expect(svg).toContain('fill="rgb(8,48,107)"><title>binding, A &amp; &lt;b&gt;: 50 of 100</title>');
    // 10 % is a fifth of 50 %.
    expect(svg).toContain('fill="rgb(199,207,219)"><title>binding, B: 5 of 50</title>');
    expect(svg).toContain('>50 %  binding *</text>');
    expect(svg).toContain(`>0.0 %  ${'x'.repeat(47)}…</text>`);
    expect(svg).not.toContain('NaN');
  });

  it('has a bracket for each merge of rows and of columns', () => {
    expect([...svg.matchAll(/<polyline/g)]).toHaveLength(1 + 2);
  });
});

it('counts each protein once for a term and all above it', () => {
  const term = (id: string, above?: string) =>
    `[Term]\nid: ${id}\nname: ${id}\nnamespace: molecular_function\n${above === undefined ? '' : `is_a: ${above}\n`}`;
  const graph = OntologyGraph.fromDocument(
    parseObo(
      `format-version: 1.2\ndata-version: releases/2026-01-01\n\n${[term('T1'), term('T2', 'T1'), term('T3', 'T2'), term('T4', 'T1')].join('\n')}`,
    ),
  );
  const numbers = ['T1', 'T2', 'T3', 'T4'].map((id) => graph.indexOf(id));
  const rows = { start: Int32Array.of(0, 2, 3, 3), terms: Int32Array.of(numbers[2], numbers[3], numbers[1]) };
  const counts = proteinsWithTerm(graph, rows);
  expect(numbers.map((number) => counts[number])).toEqual([2, 2, 1, 1]);
});
