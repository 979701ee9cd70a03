/** A block of `rows` vectors of `length` numbers, one after the other. */
export interface Block {
  rows: number;
  length: number;
  values: Float64Array;
}

export function emptyBlock(rows: number, length: number): Block {
  return { rows, length, values: new Float64Array(rows * length) };
}

/** Returns a dot product. Four running sums are faster, because a single sum would wait for each addition. */
export function dot(a: Block, rowA: number, b: Block, rowB: number): number {
  const { length, values } = a;
  const other = b.values;
  const x = rowA * length;
  const y = rowB * length;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    s0 += values[x + i] * other[y + i];
    s1 += values[x + i + 1] * other[y + i + 1];
    s2 += values[x + i + 2] * other[y + i + 2];
    s3 += values[x + i + 3] * other[y + i + 3];
  }
  for (; i < length; i++) s0 += values[x + i] * other[y + i];
  return s0 + s1 + (s2 + s3);
}

/** Adds a multiple of another row: a[row] += factor * b[other]. */
function addScaled(a: Block, row: number, factor: number, source: { block: Block; row: number }): void {
  const { length } = a;
  const from = source.row * length;
  for (let i = 0, x = row * length; i < length; i++)
    a.values[x + i] += factor * source.block.values[from + i];
}

/**
 * Makes the rows orthonormal in place, by modified Gram-Schmidt, which is exact to rounding when it is done twice. A row that is linearly
 * dependent on earlier rows becomes 0. Cost: O(rows^2 x length).
 */
export function orthonormalise(block: Block): void {
  for (let row = 0; row < block.rows; row++) {
    const before = Math.sqrt(dot(block, row, block, row));
    for (let pass = 0; pass < 2; pass++)
      for (let other = 0; other < row; other++)
        addScaled(block, row, -dot(block, row, block, other), { block, row: other });
    const norm = Math.sqrt(dot(block, row, block, row));
    const scale = norm > before * 1e-12 ? 1 / norm : 0;
    for (let i = row * block.length; i < (row + 1) * block.length; i++) block.values[i] *= scale;
  }
}

/**
 * Computes eigenvalues, largest first, and unit eigenvectors of a small symmetric matrix (row-major [n x n], which is overwritten) by
 * Jacobi rotations. The cost is O(n^3) for a sweep, of which about ten are needed.
 */
export function symmetricEigen(matrix: Float64Array, n: number): { values: Float64Array; vectors: Block } {
  const turned = emptyBlock(n, n);
  for (let i = 0; i < n; i++) turned.values[i * n + i] = 1;
  const scale = Math.max(...Array.from({ length: n }, (_, i) => Math.abs(matrix[i * n + i])), 0);
  for (let sweep = 0; sweep < 60; sweep++) {
    let largest = 0;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        largest = Math.max(largest, Math.abs(matrix[p * n + q]));
        rotate(matrix, turned, p, q);
      }
    if (largest <= scale * 1e-15) break;
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => matrix[b * n + b] - matrix[a * n + a]);
  const vectors = emptyBlock(n, n);
  order.forEach((from, to) => {
    vectors.values.set(turned.values.subarray(from * n, (from + 1) * n), to * n);
  });
  return { values: Float64Array.from(order, (i) => matrix[i * n + i]), vectors };
}

/** Makes matrix[p, q] zero by one rotation. The rows of `turned` converge to the eigenvectors. */
function rotate(matrix: Float64Array, turned: Block, p: number, q: number): void {
  const n = turned.length;
  const off = matrix[p * n + q];
  if (off === 0) return;
  const theta = (matrix[q * n + q] - matrix[p * n + p]) / (2 * off);
  const tangent = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  const mix = (values: Float64Array, a: number, b: number) => {
    const [x, y] = [values[a], values[b]];
    values[a] = cosine * x - sine * y;
    values[b] = sine * x + cosine * y;
  };
  for (let i = 0; i < n; i++) mix(matrix, i * n + p, i * n + q);
  for (let i = 0; i < n; i++) mix(matrix, p * n + i, q * n + i);
  for (let i = 0; i < n; i++) mix(turned.values, p * n + i, q * n + i);
  matrix[p * n + q] = 0;
  matrix[q * n + p] = 0;
}
