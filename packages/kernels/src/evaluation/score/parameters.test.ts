import { describe, expect, it } from 'vitest';
import { bestThreshold, columnOf, listedThresholds } from './best-threshold.js';
import { runCase, type TestCase, utf8 } from '../testing/cases.js';

/**
 *        root (T:0)           two   (U:0, other namespace)
 *        /    \                |
 *     T:1      T:2            U:1
 *      |      /   \
 *     T:3   T:4   T:5  (T:5 has the alternative id ALT:5)
 */
const obo = utf8(
  ['T:0', 'T:1 T:0', 'T:2 T:0', 'T:3 T:1', 'T:4 T:2', 'T:5 T:2', 'U:0', 'U:1 U:0']
    .map((line) => {
      const [id, parent] = line.split(' ');
      const links = parent ? `is_a: ${parent} ! parent\n` : '';
      const alternative = id === 'T:5' ? 'alt_id: ALT:5\n' : '';
      return `[Term]\nid: ${id}\nnamespace: ${id[0] === 'T' ? 'one' : 'two'}\n${alternative}${links}\n`;
    })
    .join(''),
);
const base: TestCase = {
  obo,
  truth: utf8('P1\tT:3\nP2\tT:4\nP2\tT:5\nP3\tT:0\nP4\tT:1\n'),
  predictions: {
    m: utf8(
      'P1\tT:3\t0.9\nP1\tT:1\t0.32\nP1\tT:4\t0.55\nP2\tT:4\t0.7\nP2\tT:3\t0.2\nP3\tT:2\t0.6\nP1\tU:1\t0.5\n',
    ),
  },
  ia: utf8('T:0\t0\nT:1\t1\nT:2\t0.5\nT:3\t2\nT:4\t3\nT:5\t1\n'),
  thresholdStep: 0.1,
};
const column = (test: TestCase, name: string): number[] => [
  ...columnOf(runCase(test)[0].namespaces[0], name)!,
];

describe('each parameter changes the result', () => {
  it.each<[string, Partial<TestCase>, string]>([
    ['propagation', { propagation: 'fill' }, 'tp'],
    ['normalisation pred', { normalisation: 'pred' }, 'rc'],
    ['normalisation gt', { normalisation: 'gt' }, 'pr'],
    ['no orphans', { noOrphans: true }, 'tp'],
    ['known terms', { known: utf8('P1\tT:1\nP2\tT:4\n') }, 'tp'],
    ['terms of interest', { toi: utf8('T:1\nALT:5\n') }, 'fn'],
    ['limit of terms', { maxTerms: 1 }, 'fp'],
    ['information accretion', { ia: utf8('T:1\t5\nT:4\t1\n') }, 'tp_w'],
    ['threshold step', { thresholdStep: 0.05 }, 'tp'],
    ['truth', { truth: utf8('P1\tT:4\nP2\tT:4\n') }, 'tp'],
  ])('%s', (_, change, name) => {
    expect(column({ ...base, ...change }, name)).not.toEqual(column(base, name));
  });

  it('compatibility: proteins without truth in the evaluated terms', () => {
    // P3 has only the root, so without orphans it has no terms left to predict.
    const at = (compatibility: TestCase['compatibility']): number[] =>
      column({ ...base, noOrphans: true, compatibility }, 'cov');
    expect(at('upstream')[0]).toBe(3 / 4);
    expect(at('partial-knowledge')[0]).toBe(2 / 3);
    expect(at('corrected')[0]).toBe(2 / 3);
  });

  it('compatibility: proteins whose truth is all known', () => {
    const known = utf8('P1\tT:3\nP4\tT:1\nP3\tT:0\n');
    const at = (compatibility: TestCase['compatibility']): number[] =>
      column({ ...base, known, compatibility }, 'cov');
    expect(at('partial-knowledge')[0]).toBe(3);
    expect(at('corrected')[0]).toBe(1);
    const nothingLeft = { ...base, known: utf8('P1\tT:3\nP4\tT:1\nP3\tT:0\nP2\tT:4\nP2\tT:5\n') };
    expect(column({ ...nothingLeft, compatibility: 'partial-knowledge' }, 'cov')[0]).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(listedThresholds(runCase(nothingLeft)[0].namespaces[0])).toEqual([]);
    // Without weighted truth and weighted predictions, the published program leaves the cell empty.
    const unweightable = { ...nothingLeft, ia: utf8('T:9\t1\n') };
    expect(column({ ...unweightable, compatibility: 'partial-knowledge' }, 'cov_w')[0]).toBeNaN();
    expect(column(unweightable, 'cov_w')[0]).toBe(0);
  });

  it('compatibility: a limit of M lets M + 1 terms in', () => {
    const at = (maxTerms: number, compatibility: TestCase['compatibility']): number[] =>
      column({ ...base, maxTerms, compatibility }, 'fp');
    expect(at(1, 'upstream')).toEqual(at(2, 'corrected').map((value) => value));
    expect(at(2, 'upstream')).not.toEqual(at(2, 'corrected'));
    expect(column({ ...base, maxTerms: 0 }, 'n').every((n) => n === 0)).toBe(true);
  });

  it('known terms and terms of interest are refused for the program that lacks them', () => {
    expect(() => runCase({ ...base, compatibility: 'upstream', toi: utf8('T:1\n') })).toThrow(
      /do not exist in the upstream program/,
    );
  });

  it('an aspect without truth, or without evaluated terms, leaves the others alone', () => {
    const [{ namespaces }] = runCase(base);
    expect(namespaces.map(({ namespace }) => namespace)).toEqual(['one']);
    const both = { ...base, truth: utf8('P1\tT:3\nP1\tU:1\n'), toi: utf8('T:3\n'), known: utf8('P1\tT:1\n') };
    const [one, two] = runCase(both)[0].namespaces;
    expect(columnOf(one, 'tp')![0]).toBe(1);
    expect(listedThresholds(two)).toEqual([]);
    expect(bestThreshold(two, 'f')).toBe(-1);
  });

  it.each([0, 1, -0.1, Number.NaN, 1e-9])('threshold step %d is refused', (thresholdStep) => {
    expect(() => runCase({ ...base, thresholdStep })).toThrow(/threshold step/);
  });
});

describe('figures worked out by hand', () => {
  it('one protein, unweighted and weighted', () => {
    const test = {
      ...base,
      truth: utf8('P1\tT:3\n'),
      predictions: { m: utf8('P1\tT:3\t0.55\nP1\tT:4\t0.25\n') },
    };
    const [evaluation] = runCase(test)[0].namespaces;
    // At 0.2, T:3, T:1 and T:0 are found, and T:4 and T:2 are wrong. From 0.3 to 0.5 nothing is wrong. The IA is 2 + 1 + 0 and 3 + 0.5.
    const at = (name: string, k: number): number => columnOf(evaluation, name)![k];
    expect([at('tp', 1), at('fp', 1), at('fn', 1), at('pr', 1), at('rc', 1)]).toEqual([3, 2, 0, 0.6, 1]);
    expect(at('f', 1)).toBeCloseTo(0.75, 15);
    expect([at('tp_w', 1), at('fp_w', 1), at('pr_w', 1), at('s_w', 1)]).toEqual([3, 3.5, 3 / 6.5, 3.5]);
    expect([at('pr', 4), at('rc', 4), at('cov', 4), at('cov', 5)]).toEqual([1, 1, 1, 0]);
    // 0.3 of the grid is slightly above the number 0.3, and among equal rows the lowest threshold is the best.
    expect(evaluation.tau[2]).toBe(0.30000000000000004);
    expect(bestThreshold(evaluation, 'f')).toBe(2);
    expect(bestThreshold(evaluation, 's_w')).toBe(2);
  });
});
