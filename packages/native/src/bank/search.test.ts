import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metric, QueryBank, ReferenceBank } from '@kindred/kernels/knn';
import { searchNaive } from '@kindred/kernels/knn';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeKernelsForTests } from '../native-for-tests.js';
import { type BankSearchOptions, openPlainBank, type SearchBank } from './search-bank.js';
import { BankWriter } from './writer.js';

const natives = nativeKernelsForTests();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-search-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function openers(): [string, (path: string) => SearchBank][] {
  const plain: [string, (path: string) => SearchBank] = ['plain', openPlainBank];
  return [
    plain,
    ...natives.map(({ instructions, openBank }): typeof plain => [`native ${instructions}`, openBank]),
  ];
}

let files = 0;
function writeBank(bank: ReferenceBank): string {
  const path = join(folder, `${files++}.bank`);
  const writer = new BankWriter(path, { ...bank, rows: bank.reference.length });
  writer.append(bank.vectors);
  writer.finish();
  return path;
}

/** Normal numbers from a seed. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

interface Problem {
  bank: ReferenceBank;
  queries: QueryBank;
}

/** Rows in tight clusters far from the origin, some equal, some zero, some tiny; queries among them, with chunks. */
function makeProblem({ rows, dimension, seed }: { rows: number; dimension: number; seed: number }): Problem {
  const normal = normals(seed + 1);
  const any = (n: number): number => Math.abs(Math.floor(normal() * 1e6)) % n;
  const centres = Array.from({ length: 5 }, () =>
    Float32Array.from({ length: dimension }, () => 3 + normal()),
  );
  const vector = (): Float32Array => {
    const centre = centres[any(5)];
    const kind = any(20);
    if (kind === 0) return new Float32Array(dimension);
    if (kind === 1) return centre.map((x) => 1e-6 * (x + (any(2) === 0 ? 0 : 2 * normal())));
    if (kind === 2) return centre;
    return centre.map((x) => x + 0.1 * normal());
  };
  const references = Math.max(1, Math.floor(rows * 0.8));
  const reference = Int32Array.from({ length: rows }, (_, row) => (row < references ? row : any(references)));
  const sequence = Int32Array.from({ length: references }, (_, r) => (any(4) === 0 ? any(references) : r));
  const vectors = new Float32Array(rows * dimension);
  for (let row = 0; row < rows; row++) vectors.set(vector(), row * dimension);
  const rank = Int32Array.from({ length: references }, (_, r) => (r * 7919) % references);
  const nQuery = 1 + any(20);
  const query = Int32Array.from({ length: nQuery + 3 }, (_, row) => (row < nQuery ? row : any(nQuery)));
  const queryVectors = new Float32Array(query.length * dimension);
  for (let row = 0; row < query.length; row++) queryVectors.set(vector(), row * dimension);
  const own = Int32Array.from({ length: nQuery }, () => any(references) - 1);
  return {
    bank: { vectors, dimension, reference, sequence, rank },
    queries: { vectors: queryVectors, query, count: nQuery, sequence: own },
  };
}

const problem = fc
  .record({
    rows: fc.integer({ min: 1, max: 90 }),
    dimension: fc.integer({ min: 1, max: 40 }),
    seed: fc.nat(1e6),
  })
  .map(makeProblem);
const settings = fc.record({
  metric: fc.constantFrom<Metric>('cosine', 'l2'),
  k: fc.integer({ min: 1, max: 12 }),
  includeSelf: fc.boolean(),
  distanceThreshold: fc.option(fc.double({ min: -1, max: 3, noNaN: true }), { nil: undefined }),
  threads: fc.integer({ min: 1, max: 3 }),
});

if (natives.length === 0) {
  it('native searches: left out, no C++ compiler here', () => {
    expect(process.env.CI).toBeUndefined();
  });
}

describe.each(openers())('search of a bank, %s', (_, open) => {
  const check = ({ bank, queries }: Problem, options: BankSearchOptions): void => {
    const searched = open(writeBank(bank));
    expect(searched.search(queries, options).lists).toEqual(searchNaive(bank, queries, options));
    searched.close();
  };

  it('equals the plain definition bit for bit', () => {
    fc.assert(
      fc.property(problem, settings, (p, options) => check(p, options)),
      { numRuns: 120 },
    );
  });

  it('equals it for several subsets at once', () => {
    fc.assert(
      fc.property(problem, settings, fc.integer({ min: 1, max: 8 }), (p, options, count) => {
        const all = Int32Array.from(p.bank.rank.keys());
        const subsets = Array.from({ length: count }, (_, s) => all.filter((r) => (r * 2654435761) % 8 <= s));
        check(p, { ...options, subsets });
      }),
      { numRuns: 60 },
    );
  });

  it.each([1e-30, 1e-19, 1e-12, 1e12, 1e18, 1e25])('equals it for numbers about %d', (size) => {
    for (const metric of ['cosine', 'l2'] as const) {
      const { bank, queries } = makeProblem({ rows: 70, dimension: 9, seed: 5 });
      const scaledBank = { ...bank, vectors: bank.vectors.map((x) => x * size) };
      const scaledQueries = { ...queries, vectors: queries.vectors.map((x) => x * size) };
      check({ bank: scaledBank, queries: scaledQueries }, { metric, k: 6 });
      check({ bank: scaledBank, queries }, { metric, k: 6 });
      check({ bank, queries: scaledQueries }, { metric, k: 6 });
    }
  });

  it('equals it for a larger bank, and reports and counts', () => {
    const { bank, queries } = makeProblem({ rows: 6000, dimension: 65, seed: 11 });
    const searched = open(writeBank(bank));
    const control = new Int32Array(new SharedArrayBuffer(8));
    const shares: number[] = [];
    for (const metric of ['cosine', 'l2'] as const) {
      const options = {
        metric,
        k: 25,
        threads: 2,
        control,
        onProgress: (share: number) => shares.push(share),
      };
      const { lists, uncertified, compared } = searched.search(queries, options);
      expect(lists).toEqual(searchNaive(bank, queries, { metric, k: 25 }));
      expect(uncertified).toBeLessThanOrEqual(queries.count!);
      expect(compared).toBeGreaterThanOrEqual(25 * queries.count!);
    }
    expect(shares.at(-1)).toBe(1);
    expect(control[1]).toBe(2 * queries.count!);
    searched.close();
  });

  it('stops when told', () => {
    const { bank, queries } = makeProblem({ rows: 300, dimension: 4, seed: 2 });
    const searched = open(writeBank(bank));
    const control = Int32Array.of(1, 0);
    expect(() => searched.search(queries, { metric: 'l2', k: 2, control })).toThrow('cancelled');
    expect(() => searched.search(queries, { metric: 'l2', k: 2, isAborted: () => true })).toThrow(
      'cancelled',
    );
    const signal = AbortSignal.abort();
    expect(() => searched.search(queries, { metric: 'l2', k: 2, signal })).toThrow('aborted');
    searched.close();
  });

  it('refuses arguments that do not fit', () => {
    const { bank, queries } = makeProblem({ rows: 30, dimension: 4, seed: 3 });
    const searched = open(writeBank(bank));
    const attempt = (change: Partial<QueryBank>, options: Partial<BankSearchOptions> = {}) => {
      return () => searched.search({ ...queries, ...change }, { metric: 'l2', k: 2, ...options });
    };
    expect(attempt({ vectors: new Float32Array(7) })).toThrow(RangeError);
    expect(attempt({ query: undefined, count: 2 })).toThrow(RangeError);
    expect(attempt({ sequence: new Int32Array(1000) })).toThrow(RangeError);
    expect(attempt({ query: queries.query?.map(() => 99) })).toThrow(RangeError);
    expect(attempt({}, { k: 0 })).toThrow(RangeError);
    expect(attempt({}, { k: 1.5 })).toThrow(RangeError);
    expect(attempt({}, { metric: 'dot' as Metric })).toThrow(RangeError);
    expect(attempt({}, { distanceThreshold: Number.NaN })).toThrow(RangeError);
    expect(attempt({}, { subsets: [Int32Array.of(1, 0)] })).toThrow(RangeError);
    expect(attempt({}, { subsets: [Int32Array.of(1000)] })).toThrow(RangeError);
    expect(attempt({}, { subsets: [] })).toThrow(RangeError);
  });
});

describe.skipIf(natives.length === 0)('native search', () => {
  it('refuses queries that are not finite, and a closed bank', () => {
    const { bank, queries } = makeProblem({ rows: 30, dimension: 4, seed: 3 });
    const searched = natives[0].openBank(writeBank(bank));
    const vectors = queries.vectors.slice();
    vectors[1] = Number.POSITIVE_INFINITY;
    expect(() => searched.search({ ...queries, vectors }, { metric: 'l2', k: 2 })).toThrow('finite');
    expect(() => searched.search(queries, { metric: 'l2', k: 2, threads: 0 })).toThrow(
      'threads must be an integer',
    );
    searched.close();
    expect(() => searched.search(queries, { metric: 'l2', k: 2 })).toThrow('closed');
  });
});
