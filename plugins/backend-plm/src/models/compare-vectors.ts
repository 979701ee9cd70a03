/** Returns the cosine of each vector to its counterpart; NaN if one has length 0. Cost: O(n d). */
export function cosines(vectors: readonly Float32Array[], others: readonly Float32Array[]): number[] {
  return vectors.map((vector, i) => cosine(vector, others[i]));
}

/**
 * Returns the mean share of the `k` nearest among the other vectors that both sets agree on, 0 to 1. Vectors are compared by cosine; of
 * equal ones the lower index is nearer. Cost: O(n^2 d).
 */
export function neighbourOverlap(
  vectors: readonly Float32Array[],
  others: readonly Float32Array[],
  k: number,
): number {
  let shared = 0;
  for (let query = 0; query < vectors.length; query++) {
    const expected = new Set(nearest(others, query, k));
    shared += nearest(vectors, query, k).filter((index) => expected.has(index)).length;
  }
  return shared / (k * vectors.length);
}

function nearest(vectors: readonly Float32Array[], query: number, k: number): number[] {
  return vectors
    .map((vector, index) => ({ index, near: cosine(vectors[query], vector) }))
    .filter(({ index }) => index !== query)
    .sort((a, b) => b.near - a.near || a.index - b.index)
    .slice(0, k)
    .map(({ index }) => index);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    left += a[i] * a[i];
    right += b[i] * b[i];
  }
  return dot / Math.sqrt(left * right);
}
