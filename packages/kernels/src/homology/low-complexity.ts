import { alphabetSize } from '../alignment/index.js';

const window = 12;
/** A table of n log2 n for the counts within a window. */
const weighted = Float64Array.from({ length: window + 1 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)));
/** The amount that one more letter adds to the sum when the letter is there n times already. */
const added = Float64Array.from({ length: window }, (_, n) => weighted[n + 1] - weighted[n]);

/**
 * Marks the residues of every stretch of twelve whose letters carry less than `minimumBits` each. This is the trigger of SEG with SEG's
 * own limit. Repeats and runs of few letters are similar in unrelated proteins, so no search should start from them; an alignment may
 * still pass through them.
 *
 * @param codes residue codes (encodeResidues)
 * @returns 1 for each residue in such a stretch: [codes]
 * @cite Wootton1993
 */
export function lowComplexity(codes: Uint8Array, minimumBits = 2.2): Uint8Array {
  const masked = new Uint8Array(codes.length);
  const count = new Int32Array(alphabetSize);
  // The entropy is log2 12 - sum / 12. The sum is kept in floating point, and the limit is between two attainable values.
  const limit = window * (Math.log2(window) - minimumBits);
  let sum = 0;
  let marked = 0;
  for (let i = 0; i < codes.length; i++) {
    if (i >= window) sum -= added[--count[codes[i - window]]];
    sum += added[count[codes[i]]++];
    if (i < window - 1 || sum <= limit) continue;
    for (let at = Math.max(marked, i - window + 1); at <= i; at++) masked[at] = 1;
    marked = i + 1;
  }
  return masked;
}
