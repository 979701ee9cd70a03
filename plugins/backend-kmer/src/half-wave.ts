/**
 * Returns sqrt(2) cos(pi j / 2n) for j = 0 .. 2n: half a turn of cosine over n residues, sampled at residues (odd j) and between them
 * (even j), with root mean square 1: Float64 [2n + 1]. The values come from a power series, because Math.cos may differ in the last bit
 * between engine versions, and embeddings must not.
 */
export function halfWave(n: number): Float64Array {
  const wave = new Float64Array(2 * n + 1);
  for (let j = 0; j <= n; j++) {
    const x = (Math.PI * j) / (2 * n);
    const value = Math.SQRT2 * cosine(x * x);
    wave[j] = value;
    wave[2 * n - j] = -value;
  }
  wave[n] = 0;
  return wave;
}

/** Returns cos(x) from x squared, for x from 0 to pi/2, with an error below 1e-14. */
function cosine(square: number): number {
  let sum = 1;
  for (let k = 20; k > 0; k -= 2) sum = 1 - (sum * square) / (k * (k - 1));
  return sum;
}
