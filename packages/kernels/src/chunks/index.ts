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
