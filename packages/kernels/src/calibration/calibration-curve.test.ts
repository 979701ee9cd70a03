import { describe, expect, it } from 'vitest';
import { Random } from '../arrays/index.js';
import { binLookup, calibrationCurve, type CalibrationPoints } from './calibration-curve.js';

/** Draws proteins with ten predictions each; a prediction of score s is right with probability s * s. */
function drawn(proteins: number, seed: number): CalibrationPoints {
  const random = new Random(seed);
  const unit = (): number => random.uint32() / 2 ** 32;
  const score = Float64Array.from({ length: proteins * 10 }, unit);
  return {
    score,
    isRight: Uint8Array.from(score, (value) => Number(unit() < value * value)),
    protein: Int32Array.from(score, (_, i) => Math.floor(i / 10)),
  };
}

describe('calibration curve', () => {
  const { bins, ...whole } = calibrationCurve(drawn(1500, 3), { resamples: 300 });

  it('finds the share that is right, with an interval around it', () => {
    expect(whole).toEqual({ predictions: 15_000, proteins: 1500 });
    const binOf = binLookup(bins.map(({ low }) => low));
    for (const probe of [0.3, 0.5, 0.7, 0.9]) {
      const { probability, interval } = bins[binOf(probe)];
      expect(Math.abs((probability as number) - probe * probe)).toBeLessThan(0.08);
      expect(interval!.low).toBeLessThanOrEqual(probability as number);
      expect(interval!.high).toBeGreaterThanOrEqual(probability as number);
      expect(interval!.high - interval!.low).toBeLessThan(0.2);
    }
  });

  it('ascends, covers every prediction once, and has a hundred proteins behind each bin', () => {
    bins.forEach((bin, b) => {
      expect(bin.proteins).toBeGreaterThanOrEqual(100);
      if (b === 0) return;
      expect(bin.low).toBeGreaterThan(bins[b - 1].high);
      expect(bin.probability).toBeGreaterThanOrEqual(bins[b - 1].probability as number);
    });
    expect(bins.reduce((sum, { predictions }) => sum + predictions, 0)).toBe(15_000);
  });

  it('says nothing where fewer than the minimum of proteins stand behind it', () => {
    const few = calibrationCurve(drawn(99, 1), { resamples: 5 });
    expect(few.bins).toMatchObject([{ proteins: 99, predictions: 990, probability: null, interval: null }]);
    // Many predictions of a few proteins are still too little data.
    const points = drawn(150, 1);
    const same = { ...points, protein: points.protein.map((protein) => protein % 20) };
    expect(
      calibrationCurve(same, { resamples: 5 }).bins.every(({ probability }) => probability === null),
    ).toBe(true);
    expect(calibrationCurve(same, { resamples: 5, minProteins: 20 }).bins[0].probability).not.toBeNull();
  });

  it('is the isotonic fit itself where every block may stand alone', () => {
    const points: CalibrationPoints = {
      score: Float64Array.of(0.1, 0.2, 0.3, 0.4, 0.5),
      isRight: Uint8Array.of(0, 1, 0, 1, 1),
      protein: Int32Array.of(0, 1, 2, 3, 4),
    };
    const found = calibrationCurve(points, { minProteins: 1, resamples: 10 });
    expect(found.bins.map(({ low, high, probability }) => [low, high, probability])).toEqual([
      [0.1, 0.1, 0],
      [0.2, 0.3, 0.5],
      [0.4, 0.5, 1],
    ]);
    const binOf = binLookup(found.bins.map(({ low }) => low));
    expect([0, 0.35, 2].map((score) => found.bins[binOf(score)].probability)).toEqual([0, 0.5, 1]);
  });

  it('has wider intervals where the predictions of a protein go together', () => {
    const points = drawn(400, 5);
    const random = new Random(9);
    const together = Uint8Array.from({ length: 400 }, () => random.integer(2));
    const width = (isRight: Uint8Array): number => {
      const score = new Float64Array(points.score.length).fill(0.5);
      const { interval } = calibrationCurve({ ...points, score, isRight }, { resamples: 200 }).bins[0];
      return interval!.high - interval!.low;
    };
    const alone = width(points.isRight.map(() => random.integer(2)));
    const clustered = width(Uint8Array.from(points.protein, (protein) => together[protein]));
    expect(clustered / alone).toBeGreaterThan(2);
  });

  it('repeats with its seed and stops when asked', () => {
    const points = drawn(120, 2);
    expect(calibrationCurve(points, { resamples: 20 })).toEqual(calibrationCurve(points, { resamples: 20 }));
    const signal = AbortSignal.abort(new Error('stopped'));
    expect(() => calibrationCurve(points, { signal })).toThrow('stopped');
    expect(() => calibrationCurve(points, { level: 1 })).toThrow(/level 1/);
  });
});
