import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgreementCurve,
  agreementAt,
  fitAgreement,
  FunctionAgreement,
  nearestMerged,
  nearestMergedNaive,
  type QueryDistances,
} from './index.js';

const curve: fc.Arbitrary<AgreementCurve> = fc
  .uniqueArray(
    fc.record({ distance: fc.integer({ min: 0, max: 16 }), agreement: fc.integer({ min: 0, max: 16 }) }),
    {
      minLength: 1,
      maxLength: 5,
      selector: ({ distance }) => distance,
    },
  )
  .map((knots) => ({
    distance: knots.map(({ distance }) => distance / 8).sort((a, b) => a - b),
    agreement: knots.map(({ agreement }) => agreement / 16).sort((a, b) => b - a),
  }));
/** The distances are multiples of an eighth, so that ties are frequent. */
const embeddings = fc
  .record({ references: fc.integer({ min: 1, max: 20 }), count: fc.integer({ min: 1, max: 4 }) })
  .chain(({ references, count }) =>
    fc.array(
      fc.record({
        curve,
        distances: fc
          .array(fc.integer({ min: 0, max: 16 }), { minLength: references, maxLength: references })
          .map((eighths) => Float32Array.from(eighths, (eighth) => eighth / 8)),
      }),
      { minLength: count, maxLength: count },
    ),
  );

/** Gives the neighbours that a search to some depth would give. */
function searched(
  { curve: of, distances }: { curve: AgreementCurve; distances: Float32Array },
  depth: number,
): QueryDistances {
  const order = Array.from(distances.keys()).sort((a, b) => distances[a] - distances[b] || a - b);
  return {
    curve: of,
    nearest: order.slice(0, depth).map((reference) => ({ reference, distance: distances[reference] })),
    isComplete: depth >= distances.length,
    distanceOf: (reference) => distances[reference],
  };
}

describe('merged neighbours', () => {
  it('are those of the simplest implementation wherever a depth is enough', () => {
    fc.assert(
      fc.property(
        embeddings,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 20 }),
        (given, k, depth) => {
          const found = nearestMerged(
            given.map((one) => searched(one, depth)),
            k,
          );
          if (found !== null) expect(found).toEqual(nearestMergedNaive(given, k));
          else expect(depth).toBeLessThan(given[0].distances.length);
        },
      ),
    );
  });

  it('do not depend on the order of the embeddings, and one given twice is one', () => {
    fc.assert(
      fc.property(embeddings, fc.integer({ min: 1, max: 6 }), (given, k) => {
        expect(nearestMergedNaive([...given].reverse(), k)).toEqual(nearestMergedNaive(given, k));
        const [one] = given;
        expect(nearestMergedNaive([one, one], k)).toEqual(nearestMergedNaive([one], k));
      }),
    );
  });

  it('of one embedding are its nearest', () => {
    fc.assert(
      fc.property(embeddings, fc.integer({ min: 1, max: 6 }), ([one], k) => {
        const order = Array.from(one.distances.keys()).sort(
          (a, b) => one.distances[a] - one.distances[b] || a - b,
        );
        const found = nearestMergedNaive([one], k).map(({ reference }) => reference);
        expect(found).toEqual(order.slice(0, k));
      }),
    );
  });

  it('are hardly changed by an embedding that says nothing of function', () => {
    const telling = {
      curve: { distance: [0, 1], agreement: [0.9, 0.1] },
      distances: Float32Array.of(0.2, 0.4, 0.6, 0.8),
    };
    const silent = {
      curve: { distance: [0, 1], agreement: [0.2, 0.2] },
      distances: Float32Array.of(0.8, 0.6, 0.4, 0.2),
    };
    const order = nearestMergedNaive([telling, silent], 4).map(({ reference }) => reference);
    expect(order).toEqual([0, 1, 2, 3]);
  });
});

describe('the curve of agreement', () => {
  it('falls strictly, and lies between 0 and 1', () => {
    fc.assert(
      fc.property(
        curve,
        fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 2 }),
        (of, distances) => {
          const values = distances.sort((a, b) => a - b).map((distance) => agreementAt(of, distance));
          values.forEach((value, i) => {
            expect(value).toBeGreaterThan(0);
            expect(value).toBeLessThanOrEqual(1);
            if (i > 0 && distances[i] - distances[i - 1] > 1e-9) expect(value).toBeLessThan(values[i - 1]);
          });
        },
      ),
    );
  });

  it('goes through what was measured, in any order of the points', () => {
    const near = { distance: 0.1, agreement: 0.8 };
    const far = { distance: 0.9, agreement: 0.2 };
    const points = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? near : far));
    const columns = (list: typeof points) => ({
      distance: Float64Array.from(list, ({ distance }) => distance),
      agreement: Float64Array.from(list, ({ agreement }) => agreement),
    });
    const fitted = fitAgreement(columns(points));
    expect(fitted.distance).toEqual([0.1, 0.9]);
    expect(fitted.agreement[0]).toBeCloseTo(0.8, 12);
    expect(fitted.agreement[1]).toBeCloseTo(0.2, 12);
    expect(fitAgreement(columns([...points].reverse()))).toEqual(fitted);
    expect(agreementAt(fitted, 0.5)).toBeCloseTo(0.99 * 0.5 + 0.01 / 1.5, 12);
  });

  it('joins steps of fewer than 100 pairs', () => {
    const distance = Float64Array.from({ length: 250 }, (_, i) => i / 250);
    const { distance: knots } = fitAgreement({ distance, agreement: distance.map((d) => 1 - d) });
    expect(knots).toHaveLength(3);
  });
});

describe('agreement in function', () => {
  // Terms 0 and 1 are of aspect 0, term 2 of aspect 1. The proteins have the terms {0, 1}, {0}, {1, 2} and {}.
  const known = {
    rows: { start: Int32Array.of(0, 2, 3, 5, 5), terms: Int32Array.of(0, 1, 0, 1, 2) },
    aspect: Uint8Array.of(0, 0, 1),
    weight: Float64Array.of(1, 3, 5),
  };
  it('is the share of what the source does, in the aspects in which the protein is known', () => {
    const agreement = new FunctionAgreement(known);
    agreement.enter(0);
    expect(agreement.with(1)).toBe(1);
    expect(agreement.with(2)).toBe(1);
    agreement.enter(1);
    expect(agreement.with(0)).toBe(1 / 4);
    expect(agreement.with(2)).toBe(0);
    expect(agreement.with(3)).toBeNaN();
    agreement.enter(3);
    expect(agreement.with(0)).toBeNaN();
  });
});
