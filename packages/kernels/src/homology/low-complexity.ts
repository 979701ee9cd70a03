const window = 12;
/** n log2 n for the counts within a window. */
const weighted = Float64Array.from({ length: window + 1 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)));

/**
 * Marks the residues of every stretch of twelve whose letters carry less than `minimumBits` each: the trigger of SEG with
 * its own limit. Repeats and runs of few letters are similar in unrelated proteins, so no search should start from them; an
 * alignment may still pass through them.
 *
 * @param codes residue codes (encodeResidues)
 * @returns 1 for a residue in such a stretch: [codes]
 * @cite Wootton1993
 */
export function lowComplexity(codes: Uint8Array, minimumBits = 2.2): Uint8Array {
  const masked = new Uint8Array(codes.length);
  const count = new Int32Array(256);
  let sum = 0;
  const change = (code: number, by: 1 | -1): void => {
    sum -= weighted[count[code]];
    count[code] += by;
    sum += weighted[count[code]];
  };
  for (let i = 0; i < codes.length; i++) {
    if (i >= window) change(codes[i - window], -1);
    change(codes[i], 1);
    if (i < window - 1) continue;
    // Entropy = log2 12 - sum / 12; the sum is kept in floating point, and the limit is between two attainable values.
    if (Math.log2(window) - sum / window < minimumBits) masked.fill(1, i - window + 1, i + 1);
  }
  return masked;
}
