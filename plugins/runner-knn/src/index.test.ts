import { groupReferences } from '@kindred/kernels/knn';
import { describe, expect, it } from 'vitest';
import { plugin } from './index.js';

/** The input has two queries, and three references with the terms 0 and 0, then 0 and 1, then 2 (with NOT 1). */
const input = {
  nQuery: 2,
  k: 2,
  neighbours: Int32Array.of(1, 0, 2, -1),
  distances: Float32Array.of(0.5, 1, 0.25, Infinity),
  termStart: Int32Array.of(0, 1, 3, 5),
  terms: Int32Array.of(0, 0, 1, 2, 1),
  negated: Uint8Array.of(0, 0, 0, 0, 1),
  metric: 'cosine' as const,
};

describe('runner knn', () => {
  it('hands on the terms of the neighbours, best first, with the source', async () => {
    const output = await (await plugin.load({ dataDir: '', settings: {} })).run(input);
    expect([...output.query]).toEqual([0, 0, 1]);
    expect([...output.term]).toEqual([0, 1, 2]);
    expect([...output.score]).toEqual([0.75, 0.75, 0.875]);
    expect([...output.source]).toEqual([1, 1, 2]);
    expect([...output.distance]).toEqual([0.5, 0.5, 0.25]);
  });

  it('scores squared distances between 0 and 1', async () => {
    const output = await (await plugin.load({ dataDir: '', settings: {} })).run({
      ...input,
      metric: 'l2',
    });
    expect([...output.score]).toEqual([1 / 1.5, 1 / 1.5, 1 / 1.25]);
  });

  it('keeps to an aspect, to the order of GO ids and to shared sequences where they are given', async () => {
    const runner = await plugin.load({ dataDir: '', settings: {} });
    const aspect = await runner.run({ ...input, aspect: 1, termAspect: Uint8Array.of(1, 0, 1) });
    expect([...aspect.term]).toEqual([0, 2]);
    // The terms 0 and 1 are in one reference each, so that only their ids order them.
    const terms = Int32Array.of(2, 0, 1, 2, 1);
    const neighbours = Int32Array.of(1, -1, 2, -1);
    const tied = { ...input, terms, neighbours, termOrder: Int32Array.of(2, 1, 0) };
    expect([...(await runner.run(tied)).term]).toEqual([1, 0, 2]);
    const sequence = Int32Array.of(0, 1, 1);
    const groups = groupReferences(sequence, Int32Array.of(0, 1, 2));
    const shared = await runner.run({ ...tied, termOrder: undefined, sharing: { sequence, groups } });
    expect([...shared.term]).toEqual([2, 0, 1, 2, 0, 1]);
  });

  it('stops when the signal is raised', async () => {
    const stop = AbortSignal.abort(new Error('enough'));
    await expect((await plugin.load({ dataDir: '', settings: {} })).run(input, stop)).rejects.toThrow(
      'enough',
    );
  });
});
