import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceBetween, type Metric, type QueryBank, type VectorBank, search } from './index.js';
import { searchNaive } from './naive.js';

/** The elements are small whole numbers, so that ties, equal vectors and zero vectors are frequent. */
const element = fc.integer({ min: -2, max: 2 });

interface Problem {
  bank: VectorBank;
  queries: QueryBank;
}

/** In a problem, proteins share sequences, sequences have 1 to 3 rows, and ranks are a permutation of the reference numbers. */
const problem: fc.Arbitrary<Problem> = fc
  .record({
    dimension: fc.integer({ min: 1, max: 9 }),
    sequences: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 24 }),
    queryChunks: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 7 }),
  })
  .chain(({ dimension, sequences, queryChunks }) =>
    fc
      .record({
        owner: fc.array(fc.nat(sequences.length - 1), { minLength: 1, maxLength: 30 }),
        values: fc.array(fc.array(element, { minLength: 3 * dimension, maxLength: 3 * dimension }), {
          minLength: sequences.length,
          maxLength: sequences.length,
        }),
        queryValues: fc.array(fc.array(element, { minLength: 2 * dimension, maxLength: 2 * dimension }), {
          minLength: queryChunks.length,
          maxLength: queryChunks.length,
        }),
        own: fc.array(fc.integer({ min: -1, max: sequences.length - 1 }), {
          minLength: queryChunks.length,
          maxLength: queryChunks.length,
        }),
        shift: fc.nat(30),
      })
      .map(({ owner, values, queryValues, own, shift }) => {
        const rows = owner.flatMap((sequence, reference) =>
          Array.from({ length: sequences[sequence] }, (_, chunk) => ({
            reference,
            vector: values[sequence].slice(chunk * dimension, (chunk + 1) * dimension),
          })),
        );
        const n = owner.length;
        return {
          bank: {
            dimension,
            vectors: Float32Array.from(rows.flatMap((row) => row.vector)),
            reference: Int32Array.from(rows.map((row) => row.reference)),
            sequence: Int32Array.from(owner),
            rank: Int32Array.from(owner, (_, reference) => (n - 1 - reference + shift) % n),
          },
          queries: {
            vectors: Float32Array.from(queryChunks.flatMap((c, q) => queryValues[q].slice(0, c * dimension))),
            query: Int32Array.from(queryChunks.flatMap((c, q) => Array(c).fill(q))),
            count: queryChunks.length,
            sequence: Int32Array.from(own),
          },
        };
      }),
  );

const settings = fc.record({
  metric: fc.constantFrom<Metric>('cosine', 'l2'),
  k: fc.integer({ min: 1, max: 12 }),
  includeSelf: fc.boolean(),
  distanceThreshold: fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { nil: undefined }),
  queryBlock: fc.integer({ min: 1, max: 9 }),
  referenceBlock: fc.integer({ min: 1, max: 17 }),
});

describe('search', () => {
  it('equals the plain definition for ties, duplicates, chunks, thresholds, zero vectors and any block', () => {
    fc.assert(
      fc.property(problem, settings, ({ bank, queries }, options) => {
        expect(search(bank, queries, options)).toEqual(searchNaive(bank, queries, options));
      }),
      { numRuns: 400 },
    );
  });

  it('equals the plain definition for every subset searched at once', () => {
    fc.assert(
      fc.property(
        problem,
        settings,
        fc.array(fc.nat(255), { minLength: 30, maxLength: 30 }),
        (p, options, bits) => {
          const subsets = [0, 1, 2].map((s) =>
            Int32Array.from(p.bank.rank.keys()).filter((reference) => (bits[reference] >> s) & 1),
          );
          expect(search(p.bank, p.queries, { ...options, subsets })).toEqual(
            searchNaive(p.bank, p.queries, { ...options, subsets }),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives the same bits for any block size and any order of the queries', () => {
    const { bank, queries } = randomProblem(300, 23, 65);
    const options = { metric: 'cosine' as Metric, k: 7 };
    const [whole] = search(bank, queries, options);
    const [blocked] = search(bank, queries, { ...options, queryBlock: 3, referenceBlock: 29 });
    expect(blocked).toEqual(whole);
    const reversed = Float32Array.from({ length: queries.vectors.length }, (_, i) => {
      const row = 22 - Math.floor(i / 65);
      return queries.vectors[row * 65 + (i % 65)];
    });
    const [backwards] = search(bank, { vectors: reversed }, options);
    for (let q = 0; q < 23; q++) {
      const at = (22 - q) * 7;
      expect(backwards.neighbours.subarray(at, at + 7)).toEqual(whole.neighbours.subarray(q * 7, q * 7 + 7));
      expect(backwards.distances.subarray(at, at + 7)).toEqual(whole.distances.subarray(q * 7, q * 7 + 7));
    }
  });

  it('pads lists when there are fewer sequences than k', () => {
    const { bank, queries } = randomProblem(3, 1, 8);
    const [result] = search(bank, queries, { metric: 'l2', k: 5 });
    expect([...result.neighbours.subarray(3)]).toEqual([-1, -1]);
    expect([...result.distances.subarray(3)]).toEqual([Infinity, Infinity]);
    expect([...result.neighbours.subarray(0, 3)].sort()).toEqual([0, 1, 2]);
  });

  it('keeps a neighbour at exactly the threshold, although 0.3 is not exact in float32', () => {
    const bank = oneRowEach([
      [1, 0],
      [0.7, Math.sqrt(1 - 0.49)],
    ]);
    const at = distanceBetween([1, 0], bank.vectors.subarray(2), 'cosine');
    expect(at).toBeCloseTo(0.3, 6);
    const run = (distanceThreshold: number) =>
      search(bank, { vectors: Float32Array.of(1, 0) }, { metric: 'cosine', k: 2, distanceThreshold })[0];
    expect([...run(at).neighbours]).toEqual([0, 1]);
    expect([...run(at - 1e-6).neighbours]).toEqual([0, -1]);
  });

  it('puts opposite vectors at 2, equal and scaled ones at 0, zero vectors at 1', () => {
    const bank = oneRowEach([
      [-3, -6, 1],
      [0, 0, 0],
      [3, 6, -1],
      [0.3, 0.6, -0.1],
    ]);
    const [result] = search(bank, { vectors: Float32Array.of(3, 6, -1) }, { metric: 'cosine', k: 4 });
    expect([...result.neighbours]).toEqual([2, 3, 1, 0]);
    expect(result.distances[0]).toBe(0);
    expect(result.distances[1]).toBeCloseTo(0, 9);
    expect([...result.distances.subarray(2)]).toEqual([1, 2]);
  });

  it('stops when the signal is raised and says how far it is', () => {
    const { bank, queries } = randomProblem(400, 50, 16);
    const stop = new AbortController();
    const shares: number[] = [];
    const options = {
      metric: 'l2' as Metric,
      k: 3,
      queryBlock: 8,
      referenceBlock: 8,
      signal: stop.signal,
      onProgress: (share: number) => {
        shares.push(share);
        if (share > 0.5) stop.abort(new Error('enough'));
      },
    };
    expect(() => search(bank, queries, options)).toThrow('enough');
    expect(shares.at(-1)).toBeLessThan(0.6);
  });

  it('refuses arrays that do not fit together', () => {
    const { bank, queries } = randomProblem(4, 1, 3);
    const run =
      (change: Partial<VectorBank>, options = {}) =>
      () =>
        search({ ...bank, ...change }, queries, { metric: 'cosine', k: 1, ...options });
    expect(run({}, { k: 0 })).toThrow('k must be');
    expect(run({ dimension: 4 })).toThrow('need 16 numbers');
    expect(run({ reference: Int32Array.of(0, 1, 2, 9) })).toThrow('row 3 belongs to reference 9');
    expect(run({}, { subsets: [Int32Array.of(2, 1)] })).toThrow('ascending order');
    expect(run({}, { metric: 'dot' })).toThrow('cosine or l2');
  });
});

function oneRowEach(rows: number[][]): VectorBank {
  return {
    dimension: rows[0].length,
    vectors: Float32Array.from(rows.flat()),
    reference: Int32Array.from(rows.keys()),
    sequence: Int32Array.from(rows.keys()),
    rank: Int32Array.from(rows.keys()),
  };
}

/** Makes vectors from the numbers of a linear congruential generator, -0.5 to 0.5. */
function randomProblem(references: number, queries: number, dimension: number): Problem {
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const rows = Array.from({ length: references }, () => Array.from({ length: dimension }, next));
  return {
    bank: oneRowEach(rows),
    queries: { vectors: Float32Array.from({ length: queries * dimension }, next) },
  };
}
