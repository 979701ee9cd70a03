/** A stretch of a sequence: the residues start .. endExclusive - 1, counted from 0. */
export interface Span {
  start: number;
  endExclusive: number;
}

/**
 * Divides a sequence into spans of `size` residues, each beginning `size - overlap` after the one before; the last may be shorter. A span
 * that would be completely inside the previous one is left out. An empty sequence has one empty span.
 *
 * @param overlap 0 .. size - 1
 */
export function chunkSpans(length: number, size: number, overlap: number): Span[] {
  const spans: Span[] = [];
  for (let start = 0; ; start += size - overlap) {
    const endExclusive = Math.min(start + size, length);
    spans.push({ start, endExclusive });
    if (endExclusive === length) return spans;
  }
}

/** The fields of a recipe of embeddings that say how a sequence is divided. */
export interface Chunking {
  use_chunking: boolean;
  chunk_size: number;
  chunk_overlap: number;
}

/** A span of a sequence with its vector. */
export interface EmbeddedSpan extends Span {
  /** The number of the sequence among those that are embedded together. */
  sequence: number;
  vector: Float32Array;
}

/** Returns the spans of a sequence that get a vector each: its chunks, or the whole sequence if the recipe has no chunks. */
export function spansToEmbed(length: number, { use_chunking, chunk_size, chunk_overlap }: Chunking): Span[] {
  return use_chunking ? chunkSpans(length, chunk_size, chunk_overlap) : [{ start: 0, endExclusive: length }];
}

/** Arranges vectors in the columns that a backend returns. Without chunks, -1 stands for the end of each span. */
export function embeddedColumns(
  spans: readonly EmbeddedSpan[],
  { use_chunking }: Pick<Chunking, 'use_chunking'>,
  dimension: number,
) {
  const vectors = new Float32Array(spans.length * dimension);
  spans.forEach(({ vector }, row) => vectors.set(vector, row * dimension));
  return {
    sequenceIndex: Int32Array.from(spans, ({ sequence }) => sequence),
    chunkStart: Int32Array.from(spans, ({ start }) => start),
    chunkEnd: Int32Array.from(spans, ({ endExclusive }) => (use_chunking ? endExclusive : -1)),
    vectors,
  };
}
