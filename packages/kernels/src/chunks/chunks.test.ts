import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkSpans, embeddedColumns, spansToEmbed } from './index.js';

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

describe('embedded spans', () => {
  const chunking = { use_chunking: true, chunk_size: 60, chunk_overlap: 20 };
  const spansOf = (use_chunking: boolean) =>
    [100, 30].flatMap((length, sequence) =>
      spansToEmbed(length, { ...chunking, use_chunking }).map((span, n) => ({
        ...span,
        sequence,
        vector: Float32Array.of(sequence, n),
      })),
    );

  it('are the chunks of each sequence, with their ends', () => {
    expect(embeddedColumns(spansOf(true), chunking, 2)).toEqual({
      sequenceIndex: Int32Array.of(0, 0, 1),
      chunkStart: Int32Array.of(0, 40, 0),
      chunkEnd: Int32Array.of(60, 100, 30),
      vectors: Float32Array.of(0, 0, 0, 1, 1, 0),
    });
  });

  it('are whole sequences without chunks, whose end is -1', () => {
    expect(embeddedColumns(spansOf(false), { use_chunking: false }, 2)).toEqual({
      sequenceIndex: Int32Array.of(0, 1),
      chunkStart: Int32Array.of(0, 0),
      chunkEnd: Int32Array.of(-1, -1),
      vectors: Float32Array.of(0, 0, 1, 0),
    });
  });
});
