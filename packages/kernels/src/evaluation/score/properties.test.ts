import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MethodEvaluation } from '../publish/tables.js';
import { columnOf, listedThresholds } from './best-threshold.js';
import { frameOf, runCase, utf8 } from '../testing/cases.js';
import { asFiles, simpleCases } from '../testing/random-cases.js';
import type { SimpleCase } from '../testing/reference-evaluator.js';
import { thresholdGrid } from './thresholds.js';
import { defaultSettings } from '../options.js';
import { evaluateMethod, type MethodEvaluator } from './evaluate.js';

const names = [
  'n',
  'tp',
  'fp',
  'fn',
  'pr',
  'rc',
  'cov',
  'f',
  's',
  'f_micro',
  'n_w',
  'tp_w',
  'pr_w',
  'rc_w',
  's_w',
  'f_micro_w',
];

/** Writes every metric at every threshold as text, so that equal evaluations give equal texts. */
function figures([{ namespaces }]: MethodEvaluation[]): string {
  return namespaces
    .map((evaluation) =>
      names.map((name) => [name, ...columnOf(evaluation, name)!].map(String).join(' ')).join('\n'),
    )
    .join('\n');
}
const run = (test: SimpleCase): MethodEvaluation[] => runCase(asFiles(test));
const shuffled = <T>(list: T[], seed: number): T[] =>
  list
    .map((value, i) => ({ value, key: Math.imul(i + 1, 2654435761 ^ seed) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
const check = (property: (test: SimpleCase, seed: number) => void, cases = simpleCases): void =>
  fc.assert(fc.property(cases, fc.nat(), property), { numRuns: 300 });
/** A limit of terms depends on the order of the file, so these cases have none. */
const unlimited = simpleCases.map((test) => ({ ...test, maxTerms: null }));

describe('any evaluation', () => {
  it('has recall, coverage, tp and fp that never rise with the threshold', () => {
    check((test) => {
      for (const evaluation of run({ ...test, normalisation: 'cafa' })[0].namespaces) {
        for (const name of ['rc', 'rc_w', 'tp', 'fp', 'tp_w', 'fp_w', 'n', 'n_w', 'cov']) {
          const column = columnOf(evaluation, name)!;
          const rises = [...column.keys()].filter((k) => k > 0 && column[k] > column[k - 1]);
          expect(rises).toEqual([]);
        }
      }
    });
  });

  it('keeps coverage at most 1 and ratios in 0 .. 1 by default, whatever is known', () => {
    check((test) => {
      for (const evaluation of run({ ...test, compatibility: 'corrected' })[0].namespaces) {
        for (const name of ['cov', 'cov_w', 'pr', 'rc', 'f', 'pr_w', 'rc_w', 'f_w', 'pr_micro', 'rc_micro']) {
          for (const value of columnOf(evaluation, name)!) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1 + 1e-12);
          }
        }
      }
    });
  });

  it('does not depend on the order of lines, nor on lines said twice', () => {
    check((test, seed) => {
      const mixed = {
        ...test,
        truth: shuffled([...test.truth, ...test.truth], seed),
        predictions: shuffled([...test.predictions, ...test.predictions.slice(seed % 7)], seed),
        known: test.known && shuffled(test.known, seed),
      };
      expect(figures(run(mixed))).toBe(figures(run(test)));
    }, unlimited);
  });

  it('does not depend on what proteins are called', () => {
    check((test) => {
      const renamed = <T extends [string, string, ...unknown[]]>(rows: T[]): T[] =>
        rows.map(
          ([protein, ...rest]) => [`sp|${[...protein].reverse().join('')}|é`, ...rest] as unknown as T,
        );
      const other = {
        ...test,
        truth: renamed(test.truth),
        predictions: renamed(test.predictions),
        known: test.known && renamed(test.known),
      };
      expect(figures(run(other))).toBe(figures(run(test)));
    });
  });

  it('depends on scores only through the thresholds that they reach', () => {
    check((test) => {
      const taus = thresholdGrid(test.thresholdStep);
      const moved = (score: number): number => {
        const reached = taus.filter((tau) => tau <= score).length;
        if (!(score > 0)) return score;
        const low = reached === 0 ? 0 : taus[reached - 1];
        const high = reached === taus.length ? 2 : taus[reached];
        return low + (high - low) * 0.37;
      };
      const scaled = {
        ...test,
        predictions: test.predictions.map(([p, t, s]): [string, string, number] => [p, t, moved(s)]),
      };
      expect(figures(run(scaled))).toBe(figures(run(test)));
    });
  });

  it('leaves unknown terms and proteins out, and counts them', () => {
    check((test) => {
      const stray: [string, string, number][] = [
        ['P1', 'T:99', 0.9],
        ['nobody', 'T:1', 0.9],
        ['nobody', 'T:99', 0.9],
      ];
      const more = {
        ...test,
        truth: [...test.truth, ['P1', 'T:98'] as [string, string]],
        predictions: [...stray, ...test.predictions],
      };
      expect(figures(run(more))).toBe(figures(run(test)));
      const counts = [test, more].map((one) => {
        const files = asFiles(one);
        const { unknownTerms: truthUnknown } = frameOf(files).truth.counts;
        return { ...runCase(files)[0].counts, truthUnknown };
      });
      expect(counts[1].unknownTerms + counts[1].withoutTruth).toBe(
        counts[0].unknownTerms + counts[0].withoutTruth + 3,
      );
      expect(counts[1].truthUnknown).toBe(counts[0].truthUnknown + 1);
      const { lines, used, withoutScore, unknownTerms, withoutTruth, shortLines, beyondLimit } = counts[1];
      expect(used + withoutScore + unknownTerms + withoutTruth + shortLines + beyondLimit).toBe(lines);
    }, unlimited);
  });

  it('gives no rows, and no fault, for only zeros, an empty file, or lines that are not predictions', () => {
    check((test) => {
      const zeros = {
        ...test,
        predictions: test.predictions.map(([p, t]): [string, string, number] => [p, t, 0]),
      };
      const files = asFiles(zeros);
      files.predictions = {
        zeros: files.predictions.method,
        empty: utf8(''),
        words: utf8('no prediction\n\n \nhere\n'),
      };
      for (const { namespaces } of runCase(files)) {
        for (const evaluation of namespaces) expect(listedThresholds(evaluation)).toEqual([]);
      }
    });
  });

  it('does not depend on how the bytes were cut into pieces', () => {
    check((test, seed) => {
      const files = asFiles(test);
      const lines = files.predictions.method;
      const results = [1 + (seed % 13), lines.length || 1].map((size) =>
        evaluateMethod(
          frameOf(files),
          (evaluator) => {
            for (let at = 0; at < lines.length; at += size) evaluator.push(lines.subarray(at, at + size));
          },
          defaultSettings,
          { maxTerms: files.maxTerms, contributions: true },
        ),
      );
      expect(results[0]).toEqual(results[1]);
    });
  });

  it('does not depend on how few cells are held at once, wherever the lines of a protein are', () => {
    const seen = { once: 0, again: 0 };
    check((test, seed) => {
      const byProtein = test.predictions.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
      const twice = [...test.predictions, ...test.predictions];
      const order = [twice, byProtein, byProtein.toReversed()][seed % 3];
      const files = asFiles({ ...test, predictions: order });
      const settings = { ...defaultSettings, ...files };
      const give = (evaluator: MethodEvaluator): void => evaluator.push(files.predictions.method);
      const options = { maxTerms: files.maxTerms, contributions: true, reliability: true };
      const frame = frameOf(files);
      const { readings: once, ...whole } = evaluateMethod(frame, give, settings, options);
      expect(once).toBe(1);
      const limits = { batchCells: (seed >> 2) % 2, partCells: 1 + ((seed >> 4) % 11) };
      const { readings, ...inParts } = evaluateMethod(frame, give, settings, { ...options, ...limits });
      expect(inParts).toEqual(whole);
      seen[readings > 1 ? 'again' : 'once']++;
      if (seed % 3 > 0) expect(readings).toBe(1);
    });
    expect(Math.min(seen.once, seen.again)).toBeGreaterThan(0);
  });

  it('refuses predictions that change between two readings', () => {
    const files = asFiles({ ...someCase, predictions: scattered(2) });
    let more = '';
    const give = (evaluator: MethodEvaluator): void => {
      evaluator.push(files.predictions.method);
      evaluator.push(utf8(more));
      more = 'P1\tT:1\t0.5\n';
    };
    expect(() => evaluateMethod(frameOf(files), give, defaultSettings, { batchCells: 1 })).toThrow(
      'the predictions changed while they were read: 4 lines, then 5.',
    );
  });
});

const someProteins = Array.from({ length: 1000 }, (_, i) => `P${i}`);
const someCase: SimpleCase = {
  parents: { 'T:0': [], 'T:1': ['T:0'], 'T:2': ['T:0'], 'T:3': ['T:1', 'T:2'] },
  truth: someProteins.map((protein, i) => [protein, `T:${i % 4}`]),
  known: null,
  toi: null,
  ia: { 'T:1': 1, 'T:2': 0.5, 'T:3': 0.3 },
  predictions: [],
  thresholdStep: 0.01,
  propagation: 'max',
  normalisation: 'cafa',
  noOrphans: false,
  maxTerms: null,
  compatibility: 'corrected',
};
/** Makes lines in which proteins take turns, so that those of a protein are far apart. */
const scattered = (lines: number): [string, string, number][] =>
  Array.from({ length: lines * 2 }, (_, i) => [`P${i % 2}`, `T:${i % 4}`, 0.5]);

/** Returns the bytes that live on the heap and in typed arrays, after all that is unused is collected. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('the memory of an evaluation', () => {
  /** Gives lines of all proteins and returns the bytes that the evaluator holds before each end of a reading. */
  function heldWith(linesOfProtein: number, isGrouped: boolean): number[] {
    const frame = frameOf(asFiles(someCase));
    const before = heldBytes();
    const held: number[] = [];
    const count = someProteins.length * linesOfProtein;
    evaluateMethod(
      frame,
      (evaluator) => {
        for (let i = 0; i < count; i++) {
          const protein = isGrouped ? Math.floor(i / linesOfProtein) : i % someProteins.length;
          evaluator.add(someProteins[protein], `T:${i % 4}`, ((i * 7) % 100) / 100);
        }
        held.push(heldBytes() - before);
      },
      defaultSettings,
      { batchCells: 1000, partCells: 50_000, maxTerms: 1000, reliability: true },
    );
    return held;
  }

  it.each([
    ['together', true, 1],
    ['far apart', false, 5],
  ])('does not grow with the predictions where lines of a protein are %s', (_, isGrouped, readings) => {
    heldWith(10, isGrouped);
    // The least of three is the nearest to what the evaluator holds, because other work of the process adds to each.
    const held = [1, 2, 3].map(() => heldWith(200, isGrouped));
    expect(held.map(({ length }) => length)).toEqual([readings, readings, readings]);
    // 200,000 lines would take 3.2 MB as columns of row, term and score; a part of 50,000 takes a quarter of it.
    expect(Math.min(...held.map((bytes) => Math.max(...bytes)))).toBeLessThan(2e6);
  });
});
