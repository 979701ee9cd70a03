import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkSpans } from './index.js';

describe('chunkSpans', () => {
  it('covers every residue by spans of which none is inside the one before', () => {
    const sizes = fc
      .integer({ min: 1, max: 50 })
      .chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), sizes, (length, [size, overlap]) => {
        const spans = chunkSpans(length, size, overlap);
        expect(spans[0].start).toBe(0);
        expect(spans.at(-1)?.endExclusive).toBe(length);
        spans.slice(1).forEach((span, i) => {
          expect(span.start).toBe(spans[i].start + size - overlap);
          expect(span.start).toBeLessThanOrEqual(spans[i].endExclusive);
          expect(span.endExclusive).toBeGreaterThan(spans[i].endExclusive);
        });
        expect(spans.slice(0, -1).every((s) => s.endExclusive - s.start === size)).toBe(true);
      }),
    );
  });

  it('leaves out a tail inside the chunk before', () => {
    expect(chunkSpans(100, 60, 20)).toEqual([
      { start: 0, endExclusive: 60 },
      { start: 40, endExclusive: 100 },
    ]);
  });
});
