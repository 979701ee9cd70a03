import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Metric, QueryBank, VectorBank } from '@kindred/kernels/knn';
import { searchNaive } from '@kindred/kernels/knn';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeKernelsForTests } from '../native-for-tests.js';
import { openBlockBank } from './block-bank.js';
import { type BankSearchOptions, type NeighbourIndex, openPlainBank } from './neighbour-index.js';
import { BankWriter } from './writer.js';

const natives = nativeKernelsForTests();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-search-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Opener = [string, (path: string) => Promise<NeighbourIndex>];
function openers(): Opener[] {
  return [
    ['plain', async (path) => openPlainBank(path)],
    ...[1024, 40].map(
      (blockRows): Opener => [`blocks of ${blockRows}`, async (path) => openBlockBank(path, { blockRows })],
    ),
    ...natives.map(
      ({ instructions, openBank }): Opener => [`native ${instructions}`, async (path) => openBank(path)],
    ),
  ];
}

let files = 0;
function writeBank(bank: VectorBank): string {
  const path = join(folder, `${files++}.bank`);
  const writer = new BankWriter(path, { ...bank, rows: bank.reference.length });
  writer.append(bank.vectors);
  writer.finish();
  return path;
}

/** Draws normal numbers from a seed. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

interface Problem {
  bank: VectorBank;
  queries: QueryBank;
}

/** Makes rows in tight clusters far from the origin, some equal, some zero, some tiny, with queries among them that have chunks. */
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

/**
 * Makes rows whose numbers are of one size in a stretch, but for their signs, and small elsewhere: there, sums of products of codes are
 * the largest that can be, so that sums of 16 bits would overflow; elsewhere they fit. Queries are rows, their opposites, or others.
 */
function makeSigns({ rows, dimension, seed }: { rows: number; dimension: number; seed: number }): Problem {
  const normal = normals(seed + 7);
  const signs = (): Float32Array => {
    const large = 8 * Math.floor(Math.abs(normal()) * (1 + dimension / 16));
    return Float32Array.from(
      { length: dimension },
      (_, i) => (normal() < 0 ? -1 : 1) * (i < large ? 1 : 0.2 * Math.abs(normal())),
    );
  };
  const vectors = new Float32Array(rows * dimension);
  for (let row = 0; row < rows; row++) vectors.set(signs(), row * dimension);
  const order = Int32Array.from({ length: rows }, (_, row) => row);
  const count = 30;
  const asked = new Float32Array(count * dimension);
  for (let q = 0; q < count; q++) {
    const row = (q * 7) % rows;
    const like = q % 3 === 2 ? signs() : vectors.slice(row * dimension, (row + 1) * dimension);
    asked.set(q % 3 === 1 ? like.map((x) => -x) : like, q * dimension);
  }
  return {
    bank: { vectors, dimension, reference: order, sequence: order, rank: order.toReversed() },
    queries: { vectors: asked },
  };
}

/** Reads proteins of the example set as counts of pairs of residues: whole numbers, so that many distances are equal. */
function realProblem(): Problem {
  const letters = 'ACDEFGHIKLMNPQRSTVWY';
  const packed = readFileSync(new URL('../../../../examples/reference.fasta.gz', import.meta.url));
  const sequences = gunzipSync(packed)
    .toString('utf8')
    .split('>')
    .slice(1, 801)
    .map((record) => record.slice(record.indexOf('\n')).replaceAll('\n', ''));
  const dimension = letters.length ** 2;
  const vectors = new Float32Array(sequences.length * dimension);
  sequences.forEach((sequence, row) => {
    for (let i = 1; i < sequence.length; i++) {
      const pair = letters.indexOf(sequence[i - 1]) * letters.length + letters.indexOf(sequence[i]);
      if (pair >= 0 && pair < dimension) vectors[row * dimension + pair]++;
    }
  });
  const order = Int32Array.from(sequences.keys());
  return {
    bank: { vectors, dimension, reference: order, sequence: order, rank: order.toReversed() },
    queries: { vectors: vectors.slice(0, 40 * dimension), sequence: order.slice(0, 40) },
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
  const check = async ({ bank, queries }: Problem, options: BankSearchOptions): Promise<void> => {
    const searched = await open(writeBank(bank));
    const { lists } = await searched.search(queries, options);
    expect(lists).toEqual(searchNaive(bank, queries, options));
    await searched.close();
  };

  it('equals the plain definition bit for bit', async () => {
    await fc.assert(
      fc.asyncProperty(problem, settings, (p, options) => check(p, options)),
      { numRuns: 120 },
    );
  });

  it('equals it where sums of products are large in some dimensions and small in others', async () => {
    const size = fc.record({
      rows: fc.integer({ min: 20, max: 70 }),
      dimension: fc.integer({ min: 20, max: 150 }),
      seed: fc.nat(1e6),
    });
    await fc.assert(
      fc.asyncProperty(size, settings, (p, options) => check(makeSigns(p), options)),
      { numRuns: 40 },
    );
  });

  it('equals it for several subsets at once', async () => {
    await fc.assert(
      fc.asyncProperty(problem, settings, fc.integer({ min: 1, max: 8 }), async (p, options, count) => {
        const all = Int32Array.from(p.bank.rank.keys());
        const subsets = Array.from({ length: count }, (_, s) => all.filter((r) => (r * 2654435761) % 8 <= s));
        await check(p, { ...options, subsets });
      }),
      { numRuns: 60 },
    );
  });

  it.each([1e-30, 1e-19, 1e-12, 1e12, 1e18, 1e25])('equals it for numbers about %d', async (size) => {
    for (const metric of ['cosine', 'l2'] as const) {
      const { bank, queries } = makeProblem({ rows: 70, dimension: 9, seed: 5 });
      const scaledBank = { ...bank, vectors: bank.vectors.map((x) => x * size) };
      const scaledQueries = { ...queries, vectors: queries.vectors.map((x) => x * size) };
      await check({ bank: scaledBank, queries: scaledQueries }, { metric, k: 6 });
      await check({ bank: scaledBank, queries }, { metric, k: 6 });
      await check({ bank, queries: scaledQueries }, { metric, k: 6 });
    }
  });

  it('equals it for a larger bank, and reports and counts', async () => {
    const { bank, queries } = makeProblem({ rows: 6000, dimension: 65, seed: 11 });
    const searched = await open(writeBank(bank));
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
      const { lists, uncertified, compared } = await searched.search(queries, options);
      expect(lists).toEqual(searchNaive(bank, queries, { metric, k: 25 }));
      expect(uncertified).toBeLessThanOrEqual(queries.count!);
      expect(compared).toBeGreaterThanOrEqual(25 * queries.count!);
    }
    expect(shares.at(-1)).toBe(1);
    expect(control[1]).toBe(2 * queries.count!);
    await searched.close();
  });

  it('equals it for more queries than are multiplied at once', async () => {
    const { bank } = makeProblem({ rows: 80, dimension: 6, seed: 23 });
    const normal = normals(29);
    const vectors = Float32Array.from({ length: 2100 * 6 }, () => 3 + normal());
    for (const metric of ['cosine', 'l2'] as const)
      await check({ bank, queries: { vectors } }, { metric, k: 3 });
  });

  it('equals it for proteins, by their pairs of residues', async () => {
    const { bank, queries } = realProblem();
    for (const metric of ['cosine', 'l2'] as const) {
      await check({ bank, queries }, { metric, k: 30 });
      const thirds = [0, 1, 2].map((part) => Int32Array.from(bank.rank.keys()).filter((r) => r % 3 === part));
      await check({ bank, queries }, { metric, k: 5, subsets: thirds, distanceThreshold: 0.4 });
    }
  });

  it('stops on request', async () => {
    const { bank, queries } = makeProblem({ rows: 300, dimension: 4, seed: 2 });
    const searched = await open(writeBank(bank));
    const control = Int32Array.of(1, 0);
    await expect(searched.search(queries, { metric: 'l2', k: 2, control })).rejects.toThrow('cancelled');
    await expect(searched.search(queries, { metric: 'l2', k: 2, isAborted: () => true })).rejects.toThrow(
      'cancelled',
    );
    const signal = AbortSignal.abort();
    await expect(searched.search(queries, { metric: 'l2', k: 2, signal })).rejects.toThrow('aborted');
    await searched.close();
  });

  it('refuses arguments that do not fit', async () => {
    const { bank, queries } = makeProblem({ rows: 30, dimension: 4, seed: 3 });
    const searched = await open(writeBank(bank));
    const attempt = (change: Partial<QueryBank>, options: Partial<BankSearchOptions> = {}) => {
      const search = searched.search({ ...queries, ...change }, { metric: 'l2', k: 2, ...options });
      return expect(search).rejects.toThrow(RangeError);
    };
    await attempt({ vectors: new Float32Array(7) });
    await attempt({ query: undefined, count: 2 });
    await attempt({ sequence: new Int32Array(1000) });
    await attempt({ query: queries.query?.map(() => 99) });
    await attempt({}, { k: 0 });
    await attempt({}, { k: 1.5 });
    await attempt({}, { metric: 'dot' as Metric });
    await attempt({}, { distanceThreshold: Number.NaN });
    await attempt({}, { subsets: [Int32Array.of(1, 0)] });
    await attempt({}, { subsets: [Int32Array.of(1000)] });
    await attempt({}, { subsets: [] });
  });
});

describe.skipIf(natives.length === 0)('native search', () => {
  it('refuses more threads than none, and a closed bank', async () => {
    const { bank, queries } = makeProblem({ rows: 30, dimension: 4, seed: 3 });
    const searched = natives[0].openBank(writeBank(bank));
    await expect(searched.search(queries, { metric: 'l2', k: 2, threads: 0 })).rejects.toThrow(
      'threads must be an integer',
    );
    await searched.close();
    await expect(searched.search(queries, { metric: 'l2', k: 2 })).rejects.toThrow('closed');
  });
});

describe.each(openers().slice(1))('search of a bank, %s', (_, open) => {
  it('refuses queries that are not finite', async () => {
    const { bank, queries } = makeProblem({ rows: 30, dimension: 4, seed: 3 });
    const searched = await open(writeBank(bank));
    const vectors = queries.vectors.slice();
    vectors[1] = Number.POSITIVE_INFINITY;
    await expect(searched.search({ ...queries, vectors }, { metric: 'l2', k: 2 })).rejects.toThrow('finite');
    await searched.close();
  });
});
