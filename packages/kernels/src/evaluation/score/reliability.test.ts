import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameOf, type TestCase, utf8 } from '../testing/cases.js';
import { simpleCases, asFiles } from '../testing/random-cases.js';
import type { SimpleCase } from '../testing/reference-evaluator.js';
import { defaultSettings } from '../options.js';
import { evaluateMethod, type MethodEvaluator } from './evaluate.js';
import type { Reliability } from './reliability.js';

function reliability(test: TestCase): (Reliability | null)[] {
  const give = (evaluator: MethodEvaluator): void => evaluator.push(test.predictions.method);
  return evaluateMethod(frameOf(test), give, defaultSettings, { reliability: true }).reliability;
}

const obo = utf8(
  ['T:0', 'T:1\nis_a: T:0', 'T:2\nis_a: T:0', 'T:3\nis_a: T:1']
    .map(
      (rest) =>
        `[Term]\nid: ${rest.replace('\n', '\nnamespace: toy\n')}${rest.includes('\n') ? '' : '\nnamespace: toy'}\n\n`,
    )
    .join(''),
);

/** Computes the diagram by its definition, with sets of terms and plain loops. */
function slow(test: SimpleCase): { predictions: number; ece: number | null } {
  const above = (id: string): string[] => [id, ...(test.parents[id] ?? []).flatMap(above)];
  const closed = (pairs: [string, string][]): Set<string> =>
    new Set(pairs.filter(([, t]) => t in test.parents).flatMap(([p, t]) => above(t).map((a) => `${p} ${a}`)));
  const truth = closed(test.truth);
  const known = closed(test.known ?? []);
  const isEvaluated = (t: string): boolean =>
    t in test.parents &&
    (test.toi === null || test.toi.includes(t)) &&
    !(test.noOrphans && test.parents[t].length === 0);
  const counted = (p: string): boolean =>
    [...truth].some((key) => key.startsWith(`${p} `) && isEvaluated(key.slice(p.length + 1)));
  const best = new Map<string, number>();
  for (const [p, t, score] of test.predictions) {
    const key = `${p} ${t}`;
    if (!(score > 0) || !isEvaluated(t) || !counted(p) || known.has(key)) continue;
    best.set(key, Math.max(best.get(key) ?? 0, score));
  }
  let error = 0;
  for (let b = 0; b < 10; b++) {
    const inside = [...best].filter(([, s]) => Math.min(9, Math.floor(s * 10)) === b);
    const score = inside.reduce((sum, [, s]) => sum + s, 0);
    error += Math.abs(score - inside.filter(([key]) => truth.has(key)).length);
  }
  return { predictions: best.size, ece: best.size === 0 ? null : error / best.size };
}

describe('reliability', () => {
  it('is counted by hand', () => {
    const [found] = reliability({
      obo,
      truth: utf8('P1\tT:3\nP2\tT:2\n'),
      known: utf8('P1\tT:1\n'),
      noOrphans: true,
      // T:1 of P1 was known, the root is not evaluated, T:3 counts with the larger of its scores (the second), and P3 has no truth.
      predictions: {
        method: utf8(
          'P1 T:3 0.31\nP1 T:3 0.85\nP1 T:1 0.9\nP1 T:0 0.9\nP1 T:2 0.8\nP2 T:2 1\nP2 T:1 0.05\nP3 T:1 0.5\n',
        ),
      },
    });
    expect(found!.predictions).toBe(4);
    const filled = found!.bins.filter(({ predictions }) => predictions > 0);
    expect(filled).toEqual([
      { low: 0, high: 0.1, predictions: 1, proteins: 1, mean_score: 0.05, share_right: 0 },
      { low: 0.8, high: 0.9, predictions: 2, proteins: 1, mean_score: 0.825, share_right: 0.5 },
      { low: 0.9, high: 1, predictions: 1, proteins: 1, mean_score: 1, share_right: 1 },
    ]);
    expect(found!.ece).toBeCloseTo((0.05 + 2 * 0.325 + 0) / 4, 12);
  });

  it('equals slow sets on random cases', () => {
    let informative = 0;
    fc.assert(
      fc.property(simpleCases, (random) => {
        const test: SimpleCase = { ...random, compatibility: 'corrected', maxTerms: null };
        const predictions = test.predictions.filter(([, , score]) => score <= 1);
        const [found] = reliability(asFiles({ ...test, predictions }));
        const expected = slow({ ...test, predictions });
        // A namespace without truth is not evaluated.
        expect(found?.predictions ?? 0).toBe(expected.predictions);
        if (found === undefined) return;
        if (expected.ece === null) expect(found!.ece).toBeNull();
        else expect(found!.ece).toBeCloseTo(expected.ece, 12);
        informative += Number(expected.predictions > 0);
      }),
    );
    expect(informative).toBeGreaterThan(10);
  });

  it('has no error where scores are the shares, and is bounded by 1', () => {
    const proteins = Array.from({ length: 10 }, (_, i) => `P${i}`);
    const test = (score: number): TestCase => ({
      obo,
      truth: utf8(proteins.map((p, i) => `${p}\t${i < 3 ? 'T:3' : 'T:2'}\n`).join('')),
      noOrphans: true,
      predictions: { method: utf8(proteins.map((p) => `${p} T:3 ${score}\n`).join('')) },
    });
    expect(reliability(test(0.3))[0]!.ece).toBeCloseTo(0, 12);
    expect(reliability(test(1))[0]!.ece).toBeCloseTo(0.7, 12);
  });

  it('is not given where a score is above 1', () => {
    expect(
      reliability({ obo, truth: utf8('P1\tT:3\n'), predictions: { method: utf8('P1 T:3 1.5\n') } }),
    ).toEqual([null]);
  });
});
