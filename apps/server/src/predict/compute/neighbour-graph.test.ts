import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BankWriter, openGraphBank, openPlainBank } from '@kindred/native';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadGraphPackage, openGraph } from './neighbour-graph.js';
import type { TaskControl } from '../../ground/pool/pool.js';
import { buildGraphTask } from './tasks/build-graph.js';

const rows = 700;
const dimension = 24;
const control: TaskControl = {
  aborted: () => false,
  progress: () => {},
  bounded: async (_limit, work) => work(),
  transfer: () => {},
};
let folder: string;
let vectorsFile: string;
let vectors: Float32Array;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-graph-'));
  vectorsFile = join(folder, 'vectors.bank');
  vectors = Float32Array.from({ length: rows * dimension }, (_, i) => Math.sin(i * i * 0.731) + 0.2);
  const each = Int32Array.from({ length: rows }, (_, row) => row);
  const writer = new BankWriter(vectorsFile, {
    dimension,
    rows,
    reference: each,
    sequence: each,
    rank: each,
  });
  writer.append(vectors);
  writer.finish();
});
afterAll(() => rm(folder, { recursive: true }));

const build = (name: string, metric: 'cosine' | 'l2') =>
  buildGraphTask.run({ vectorsFile, graphFile: join(folder, name), metric }, control);

describe.each(['cosine', 'l2'] as const)('a graph for %s', (metric) => {
  it('finds all exact neighbours when it looks at many candidates, and some with few', async () => {
    expect(await build(metric, metric)).toEqual({ rows });
    const exact = openPlainBank(vectorsFile);
    const queries = {
      vectors: vectors.map((x, i) => x + 0.05 * Math.cos(i)).subarray(0, 50 * dimension),
      sequence: Int32Array.from({ length: 50 }, (_, query) => query),
    };
    const wanted = (await exact.search(queries, { metric, k: 10 })).lists;
    const graph = await openGraph(join(folder, metric), exact.header, metric);
    const many = await openGraphBank(vectorsFile, graph, 600).search(queries, { metric, k: 10 });
    expect(many.lists).toEqual(wanted);
    const few = await openGraphBank(vectorsFile, graph, 16).search(queries, { metric, k: 10 });
    expect(few.compared).toBeLessThan(many.compared / 10);
    expect([...few.lists[0].neighbours]).not.toContain(-1);
  });

  it('is the same whenever it is built', async () => {
    await build(`${metric}-again`, metric);
    const [one, other] = await Promise.all(
      [metric, `${metric}-again`].map((name) => readFile(join(folder, name))),
    );
    expect(one.equals(other)).toBe(true);
  });
});

it('leaves nothing behind when it is cancelled', async () => {
  const before = await readdir(folder);
  const cancelled = { ...control, aborted: () => true };
  const graphFile = join(folder, 'cancelled');
  await expect(buildGraphTask.run({ vectorsFile, graphFile, metric: 'l2' }, cancelled)).rejects.toThrow(
    'cancelled',
  );
  expect(await readdir(folder)).toEqual(before);
});

it('refuses a graph that is damaged or of another bank', async () => {
  await build('whole', 'cosine');
  const open = (name: string, header: { rows: number; dimension: number }) =>
    openGraph(join(folder, name), header, 'cosine');
  await expect(open('whole', { rows: rows + 1, dimension })).rejects.toThrow('another bank');
  const whole = await readFile(join(folder, 'whole'));
  for (const bytes of [Buffer.from('no graph'), Buffer.alloc(whole.length, 65), whole.subarray(0, -100)]) {
    await writeFile(join(folder, 'damaged'), bytes);
    await expect(open('damaged', { rows, dimension })).rejects.toMatchObject({ code: 'internal_error' });
  }
  await expect(open('none', { rows, dimension })).rejects.toMatchObject({ code: 'internal_error' });
});

it('names the package where it is not there', async () => {
  const missing = () => Promise.reject(new Error("Cannot find package 'usearch'"));
  await expect(loadGraphPackage(missing)).rejects.toMatchObject({
    code: 'backend_unavailable',
    message: expect.stringContaining('usearch'),
  });
});
