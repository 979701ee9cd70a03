export interface Eigen {
  /** The eigenvalues, descending. */
  values: Float64Array;
  /** The eigenvectors: vectors[i] has length 1 and belongs to values[i], and its largest component is positive. */
  vectors: Float64Array[];
}

/**
 * Computes eigenvalues and eigenvectors of a small symmetric matrix by Jacobi rotations, cyclic by rows. Only + - x / and square roots
 * are used, which IEEE 754 rounds identically everywhere, so that embeddings are equal on all machines. Cost: O(sweeps n^3).
 */
export function symmetricEigen(symmetric: readonly Float64Array[]): Eigen {
  const n = symmetric.length;
  const matrix = symmetric.map((row) => Float64Array.from(row));
  const basis = matrix.map((_, i) => Float64Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let rotated = false;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(matrix[p][q]) < 1e-18) continue;
        rotated = true;
        rotate(matrix, basis, p, q);
      }
    }
    if (!rotated) break;
  }
  const order = matrix.map((_, i) => i).sort((a, b) => matrix[b][b] - matrix[a][a]);
  return {
    values: Float64Array.from(order, (i) => matrix[i][i]),
    vectors: order.map((i) => withPositivePeak(Float64Array.from(basis, (row) => row[i]))),
  };
}

function rotate(matrix: Float64Array[], basis: Float64Array[], p: number, q: number): void {
  const theta = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
  const tangent = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (const rows of [matrix, basis]) {
    for (const row of rows) {
      const x = row[p];
      const y = row[q];
      row[p] = cosine * x - sine * y;
      row[q] = sine * x + cosine * y;
    }
  }
  for (let k = 0; k < matrix.length; k++) {
    const x = matrix[p][k];
    const y = matrix[q][k];
    matrix[p][k] = cosine * x - sine * y;
    matrix[q][k] = sine * x + cosine * y;
  }
}

function withPositivePeak(vector: Float64Array): Float64Array {
  let peak = 0;
  for (let i = 1; i < vector.length; i++) if (Math.abs(vector[i]) > Math.abs(vector[peak])) peak = i;
  return vector[peak] < 0 ? vector.map((value) => -value) : vector;
}
