import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distanceBetween, type VectorBank } from '@kindred/kernels/knn';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CandidateGraph, openGraphBank } from './graph-bank.js';
import { openPlainBank } from './neighbour-index.js';
import { BankWriter } from './writer.js';

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-graph-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function writeBank(bank: VectorBank): string {
  const path = join(folder, `${files++}.bank`);
  const writer = new BankWriter(path, { ...bank, rows: bank.reference.length });
  writer.append(bank.vectors);
  writer.finish();
  return path;
}

/** Makes a graph that misses only the rows in `hidden`, and counts the requests. */
function wholeGraph(
  bank: VectorBank,
  metric: 'cosine' | 'l2',
  hidden: (row: number) => boolean = () => false,
) {
  const asked: number[] = [];
  const { dimension, vectors } = bank;
  const graph: CandidateGraph = {
    nearest(vector, count) {
      asked.push(count);
      const rows = [...bank.reference.keys()].filter((row) => !hidden(row));
      const distance = rows.map((row) =>
        distanceBetween(vector, vectors.subarray(row * dimension, (row + 1) * dimension), metric),
      );
      const order = [...rows.keys()].sort((a, b) => distance[a] - distance[b]);
      return order.slice(0, count).map((at) => rows[at]);
    },
  };
  return { graph, asked };
}

const dimension = 3;
/** The vectors have no equal distances, with one or two chunks for each reference; pairs of references share a sequence. */
const world = fc
  .record({
    references: fc.integer({ min: 1, max: 60 }),
    queries: fc.integer({ min: 1, max: 4 }),
    k: fc.integer({ min: 1, max: 6 }),
    expansion: fc.integer({ min: 1, max: 20 }),
    modulus: fc.integer({ min: 1, max: 30 }),
    metric: fc.constantFrom('cosine' as const, 'l2' as const),
    includeSelf: fc.boolean(),
    threshold: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
  })
  .chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      bank: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
        minLength: 2 * shape.references * dimension,
        maxLength: 2 * shape.references * dimension,
      }),
      queries: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
        minLength: 2 * shape.queries * dimension,
        maxLength: 2 * shape.queries * dimension,
      }),
    }),
  );

it('answers as the exact search does when its graph misses nothing, in subsets, chunks and thresholds', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ shape, bank: numbers, queries }) => {
      const { references, metric, modulus } = shape;
      const bank: VectorBank = {
        dimension,
        vectors: Float32Array.from(numbers, (x) => x + 1e-3),
        reference: Int32Array.from({ length: 2 * references }, (_, row) => row % references),
        sequence: Int32Array.from({ length: references }, (_, r) => r >> 1),
        rank: Int32Array.from({ length: references }, (_, r) => references - r),
      };
      const path = writeBank(bank);
      const all = Int32Array.from(bank.sequence.keys());
      const options = {
        metric,
        k: shape.k,
        includeSelf: shape.includeSelf,
        subsets: [all, all.filter((r) => r % modulus === 0)],
        ...(shape.threshold === undefined ? {} : { distanceThreshold: shape.threshold }),
      };
      const asked = {
        vectors: Float32Array.from(queries),
        query: Int32Array.from({ length: 2 * shape.queries }, (_, row) => row >> 1),
        count: shape.queries,
        sequence: Int32Array.from({ length: shape.queries }, (_, q) => (q % 2 === 0 ? q : -1)),
      };
      const exact = await openPlainBank(path).search(asked, options);
      // All candidates are requested, because with fewer, equal distances at the end of the list could be resolved either way.
      const { graph } = wholeGraph(bank, metric);
      const index = openGraphBank(path, graph, 2 * references);
      expect((await index.search(asked, options)).lists).toEqual(exact.lists);
      const few = openGraphBank(path, graph, shape.expansion);
      const { lists } = await few.search(asked, options);
      lists.forEach((list, s) => {
        expect(list.neighbours.map((n) => Math.min(n, 0))).toEqual(
          exact.lists[s].neighbours.map((n) => Math.min(n, 0)),
        );
      });
      await index.close();
      await few.close();
    }),
    { numRuns: 150 },
  );
});

/** Places references on a line at 0, 1, 2, ...; each has a different sequence. */
function line(references: number): VectorBank {
  const each = Int32Array.from({ length: references }, (_, r) => r);
  return { dimension: 1, vectors: Float32Array.from(each), reference: each, sequence: each, rank: each };
}

it('asks for more candidates until each subset has k, and stops at the threshold', async () => {
  const bank = line(1000);
  const path = writeBank(bank);
  const { graph, asked } = wholeGraph(bank, 'l2');
  const far = Int32Array.from({ length: 700 }, (_, i) => 300 + i);
  const index = openGraphBank(path, graph, 10);
  const query = { vectors: Float32Array.of(0) };
  const { lists } = await index.search(query, { metric: 'l2', k: 2, subsets: [far] });
  expect([...lists[0].neighbours]).toEqual([300, 301]);
  expect(asked).toEqual([10, 40, 160, 640]);
  asked.length = 0;
  const near = await index.search(query, { metric: 'l2', k: 2, subsets: [far], distanceThreshold: 25 });
  expect([...near.lists[0].neighbours]).toEqual([-1, -1]);
  expect(asked).toEqual([10]);
});

it('compares a thin subset in full, and misses only what the graph does not name', async () => {
  const bank = line(1000);
  const path = writeBank(bank);
  const { graph } = wholeGraph(bank, 'l2', (row) => row === 1 || row === 998);
  const index = openGraphBank(path, graph, 16);
  const all = Int32Array.from(bank.sequence.keys());
  const { lists } = await index.search(
    { vectors: Float32Array.of(0) },
    { metric: 'l2', k: 3, subsets: [all, Int32Array.of(997, 998, 999)] },
  );
  expect([...lists[0].neighbours]).toEqual([0, 2, 3]);
  expect([...lists[1].neighbours]).toEqual([997, 998, 999]);
  expect([...lists[1].distances]).toEqual([997, 998, 999].map((x) => x * x));
});

it('stops when it is asked to', async () => {
  const bank = line(10);
  const index = openGraphBank(writeBank(bank), wholeGraph(bank, 'l2').graph, 4);
  const query = { vectors: Float32Array.of(0) };
  await expect(index.search(query, { metric: 'l2', k: 1, isAborted: () => true })).rejects.toThrow(
    'cancelled',
  );
});
