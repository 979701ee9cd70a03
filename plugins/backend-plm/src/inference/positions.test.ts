import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalLengthRuns, windowSpans } from './pieces.js';
import { relativeBuckets, rotaryAngles } from './positions.js';

const golden = JSON.parse(
  readFileSync(new URL('../../golden/buckets.json', import.meta.url), 'utf8'),
) as Record<string, number[]>;

describe('relativeBuckets', () => {
  it.each(Object.keys(golden))('are those of transformers for buckets and distance %s', (key) => {
    const [buckets, maxDistance] = key.split(',').map(Number);
    expect(Array.from(relativeBuckets(701, buckets, maxDistance), Number)).toEqual(golden[key]);
  });
});

describe('rotaryAngles', () => {
  it('turn pair i by position / 10000^(2i/size), to float32', () => {
    const { cos, sin } = rotaryAngles(2000, 64, 10_000);
    for (const [position, i] of [
      [0, 0],
      [7, 3],
      [1999, 0],
      [1999, 31],
    ]) {
      const angle = position / 10000 ** ((2 * i) / 64);
      expect(Math.abs(cos[position * 32 + i] - Math.cos(angle))).toBeLessThan(1e-4);
      expect(Math.abs(sin[position * 32 + i] - Math.sin(angle))).toBeLessThan(1e-4);
    }
  });
});

describe('pieces of a sequence', () => {
  const length = fc.integer({ min: 1, max: 5000 });
  const size = fc.integer({ min: 1, max: 1100 });

  it('windows cover it once, are of nearly one length and as few as can be', () => {
    fc.assert(
      fc.property(length, size, (residues, largest) => {
        const spans = windowSpans(residues, largest);
        expect(spans).toHaveLength(Math.ceil(residues / largest));
        expect([spans[0].start, spans.at(-1)?.endExclusive]).toEqual([0, residues]);
        const lengths = spans.map(({ start, endExclusive }) => endExclusive - start);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(largest);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
        spans.slice(1).forEach(({ start }, i) => expect(start).toBe(spans[i].endExclusive));
      }),
    );
  });

  it('runs hold every input once, of one length, within the budget', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 })), (lengths) => {
        const runs = equalLengthRuns(lengths, 512);
        expect(runs.flat().sort((a, b) => a - b)).toEqual([...lengths.keys()]);
        for (const run of runs) {
          expect(new Set(run.map((input) => lengths[input])).size).toBe(1);
          expect(run.length * lengths[run[0]]).toBeLessThanOrEqual(512);
        }
      }),
    );
  });
});
