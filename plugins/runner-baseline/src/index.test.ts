import { describe, expect, it } from 'vitest';
import { plugin } from './index.js';

const load = () => plugin.load({ dataDir: '', settings: {} });

/** The references have the terms 0 and 0, then 0 and 1, then 2 (with NOT 1); terms 0 and 1 are of aspect 0, term 2 of aspect 1. */
const input = {
  nQuery: 2,
  k: 1,
  neighbours: Int32Array.of(0, -1),
  distances: Float32Array.of(0.5, Infinity),
  termStart: Int32Array.of(0, 2, 4, 6),
  terms: Int32Array.of(0, 0, 0, 1, 2, 1),
  negated: Uint8Array.of(0, 0, 0, 0, 0, 1),
  metric: 'cosine' as const,
};
const termAspect = Uint8Array.of(0, 0, 1);

describe('runner baseline', () => {
  it('gives every query the terms of the references by frequency, whatever its neighbours', async () => {
    const output = await (await load()).run(input);
    expect([...output.query]).toEqual([0, 0, 0, 1, 1, 1]);
    expect([...output.term]).toEqual([0, 1, 2, 0, 1, 2]);
    expect([...output.score.slice(0, 3)]).toEqual([2 / 3, 1 / 3, 1 / 3]);
    expect([...output.source]).toEqual(Array(6).fill(-1));
    const without = await (await load()).run({ ...input, neighbours: Int32Array.of(-1, -1) });
    expect(without).toEqual(output);
  });

  it('counts each aspect among the references that speak of it, and keeps to one when asked', async () => {
    const runner = await load();
    const both = await runner.run({ ...input, nQuery: 1, termAspect });
    expect([...both.term]).toEqual([0, 2, 1]);
    expect([...both.score]).toEqual([1, 1, 1 / 2]);
    const one = await runner.run({ ...input, nQuery: 1, termAspect, aspect: 1 });
    expect([...one.term]).toEqual([2]);
    await expect(runner.run({ ...input, aspect: 1 })).rejects.toThrow('termAspect is missing');
  });

  it('leaves out terms that few references carry, one of a hundred by default', async () => {
    const runner = await load();
    const half = await runner.run({ ...input, nQuery: 1, parameters: { minimum_score: 0.5 } });
    expect([...half.term]).toEqual([0]);
    const terms = Int32Array.from({ length: 101 }, (_, reference) => (reference < 100 ? 0 : 1));
    const termStart = Int32Array.from({ length: 102 }, (_, reference) => reference);
    const rare = { ...input, nQuery: 1, terms, termStart, negated: undefined };
    expect([...(await runner.run(rare)).term]).toEqual([0]);
    expect([...(await runner.run({ ...rare, parameters: { minimum_score: 0 } })).term]).toEqual([0, 1]);
  });

  it('orders equal frequencies as GO ids lie, and stops when the signal is raised', async () => {
    const runner = await load();
    const tied = await runner.run({ ...input, nQuery: 1, termOrder: Int32Array.of(2, 1, 0) });
    expect([...tied.term]).toEqual([0, 2, 1]);
    await expect(runner.run(input, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
