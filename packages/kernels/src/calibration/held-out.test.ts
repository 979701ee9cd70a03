import { describe, expect, it } from 'vitest';
import { Random } from '../arrays/index.js';
import { CalibrationTally, calibrationRule, crossFitted, verdictOf } from './held-out.js';

/** Draws proteins with ten predictions each, which are right with the probability `of(score)`. */
function drawn(proteins: number, of: (score: number) => number) {
  const random = new Random(7);
  const unit = (): number => random.uint32() / 2 ** 32;
  const score = Float64Array.from({ length: proteins * 10 }, unit);
  return {
    score,
    isRight: Uint8Array.from(score, (value) => Number(unit() < of(value))),
    protein: Int32Array.from(score, (_, i) => Math.floor(i / 10)),
  };
}

function tallyOf(rows: readonly [probability: number, right: number, wrong: number][]): CalibrationTally {
  const tally = new CalibrationTally();
  for (const [probability, right, wrong] of rows)
    for (let i = 0; i < right + wrong; i++) tally.add(probability, i < right);
  return tally;
}

describe('what a held-out test allows', () => {
  it('counts errors by bin', () => {
    const tally = tallyOf([
      [0.05, 0, 10],
      [0.25, 2, 8],
      [1, 3, 1],
    ]);
    expect([tally.predictions, tally.claimed, tally.claimedRight]).toEqual([24, 4, 3]);
    expect(tally.error()).toBeCloseTo((0.5 + 0.5 + 1) / 24, 12);
    expect(tally.error(1)).toBeCloseTo((0.5 + 1) / 14, 12);
    expect(new CalibrationTally().error()).toBe(0);
  });

  it('is a probability where the error is at most 0.05, and 80 % where 75 % of these are right', () => {
    const { sure } = calibrationRule;
    expect(verdictOf(tallyOf([[0.5, 50, 50]]))).toEqual({ isCalibrated: true, isSure: false });
    expect(verdictOf(tallyOf([[0.5, 40, 60]]))).toEqual({ isCalibrated: false, isSure: false });
    // Many easy predictions do not hide that the others are off.
    const easy = [0.01, 10, 990] as const;
    expect(verdictOf(tallyOf([[...easy], [0.5, 20, 20]])).isCalibrated).toBe(true);
    expect(verdictOf(tallyOf([[...easy], [0.5, 10, 30]])).isCalibrated).toBe(false);
    expect(verdictOf(tallyOf([[sure, 75, 25]])).isSure).toBe(true);
    expect(verdictOf(tallyOf([[sure, 74, 26]])).isSure).toBe(false);
    expect(verdictOf(new CalibrationTally())).toEqual({ isCalibrated: false, isSure: false });
  });
});

describe('curves tested on proteins that they have not seen', () => {
  it('are right about scores that mean the same for all proteins', () => {
    const tally = crossFitted(drawn(800, (score) => score));
    expect(tally.predictions).toBe(8000);
    expect(verdictOf(tally)).toEqual({ isCalibrated: true, isSure: true });
  });

  it('say nothing where fewer than a hundred proteins are in the other folds', () => {
    expect(crossFitted(drawn(120, (score) => score)).predictions).toBe(0);
    expect(() => crossFitted(drawn(3, (score) => score))).toThrow(/5 folds of 3 proteins/);
  });

  it('repeat with their seed', () => {
    const points = drawn(200, (score) => score);
    expect(crossFitted(points).error()).toBe(crossFitted(points).error());
    expect(crossFitted(points, { seed: 2 }).error()).not.toBe(crossFitted(points).error());
    expect(() => crossFitted(points, { signal: AbortSignal.abort(new Error('stopped')) })).toThrow('stopped');
  });
});
