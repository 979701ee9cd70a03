import { Random } from '../arrays/index.js';
import { stopIf } from './pairs.js';
import type { Projection } from './projection.js';
import { type Block, dot, emptyBlock, orthonormalise, symmetricEigen } from './small-algebra.js';

export interface PrincipalAxesInput {
  /** The vectors as rows: Float32 [rows x dimension]. */
  vectors: Float32Array;
  dimension: number;
  /** The requested number of axes. */
  axes: number;
  /** A function that is called between passes; when it returns true, the call ends with an error. */
  isAborted?: () => boolean;
}

/** The number of extra directions, which speed up the convergence of the last requested axes. */
const spareDirections = 16;
const maxPasses = 400;
/** A bound relative to the largest eigenvalue: a residual below it has converged, and a variance below it counts as 0. */
const converged = 1e-9;
const noVariance = 1e-10;

/**
 * Finds the axes of maximum variance (principal components) of a set of vectors, by subspace iteration on the covariance or, where there
 * are fewer vectors than components, on the vectors' inner products. The same input gives the same axes; the sign of an axis makes its
 * largest component positive. The result has fewer axes than requested if the vectors span fewer. The cost is O(rows x dimension x
 * min(rows, dimension)), the memory O(min^2).
 * @throws RangeError without a vector, or for a number of components that does not fit; Error if aborted
 * @cite Halko2011
 */
export function principalAxes(input: PrincipalAxesInput): Projection {
  const { vectors, dimension } = input;
  const rows = vectors.length / dimension;
  if (!(Number.isInteger(rows) && rows >= 1))
    throw new RangeError(`${vectors.length} numbers are not vectors of ${dimension} components`);
  const mean = meanOf(vectors, dimension);
  const centred = emptyBlock(rows, dimension);
  for (let at = 0; at < vectors.length; at++) centred.values[at] = vectors[at] - mean[at % dimension];
  const dual = rows < dimension;
  const lines = dual ? centred : transposed(centred);
  const found = leadingEigenvectors(innerProducts(lines, input.isAborted), input);
  const components = dual ? combined(found.vectors, centred) : found.vectors;
  if (dual) orthonormalise(components);
  let axes = 0;
  while (axes < found.values.length && found.values[axes] > found.values[0] * noVariance) axes++;
  const kept = Float32Array.from(components.values.subarray(0, axes * dimension));
  for (let axis = 0; axis < axes; axis++) fixSign(kept.subarray(axis * dimension, (axis + 1) * dimension));
  return { dimension, axes, mean: Float32Array.from(mean), components: kept };
}

function meanOf(vectors: Float32Array, dimension: number): Float64Array {
  const mean = new Float64Array(dimension);
  for (let at = 0; at < vectors.length; at++) mean[at % dimension] += vectors[at];
  return mean.map((sum) => sum / (vectors.length / dimension));
}

function transposed({ rows, length, values }: Block): Block {
  const out = emptyBlock(length, rows);
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < length; i++) out.values[i * rows + row] = values[row * length + i];
  return out;
}

/** Returns the inner products of all pairs of rows: symmetric [rows x rows]. */
function innerProducts(block: Block, isAborted: (() => boolean) | undefined): Block {
  const { rows } = block;
  const out = emptyBlock(rows, rows);
  for (let a = 0; a < rows; a++) {
    if (a % 16 === 0) stopIf(isAborted);
    for (let b = 0; b <= a; b++) {
      const product = dot(block, a, block, b);
      out.values[a * rows + b] = product;
      out.values[b * rows + a] = product;
    }
  }
  return out;
}

/** Returns linear combinations of the rows of `block` by weights [k x rows]: [k x length]. */
function combined(weights: Block, block: Block): Block {
  const out = emptyBlock(weights.rows, block.length);
  for (let k = 0; k < weights.rows; k++)
    for (let row = 0; row < block.rows; row++) {
      const weight = weights.values[k * block.rows + row];
      for (let i = 0; i < block.length; i++)
        out.values[k * block.length + i] += weight * block.values[row * block.length + i];
    }
  return out;
}

function leadingEigenvectors(
  matrix: Block,
  { axes, isAborted }: PrincipalAxesInput,
): { values: Float64Array; vectors: Block } {
  const size = matrix.rows;
  const wanted = Math.min(axes, size);
  const width = Math.min(size, axes + spareDirections);
  const random = new Random('principal axes');
  let basis = emptyBlock(width, size);
  for (let i = 0; i < basis.values.length; i++) basis.values[i] = random.normal();
  orthonormalise(basis);
  for (let pass = 1; ; pass++) {
    stopIf(isAborted);
    const image = timesSymmetric(basis, matrix);
    const small = new Float64Array(width * width);
    for (let a = 0; a < width; a++)
      for (let b = 0; b < width; b++) small[a * width + b] = dot(basis, a, image, b);
    const { values, vectors } = symmetricEigen(small, width);
    const turnedBasis = combined(vectors, basis);
    const turnedImage = combined(vectors, image);
    if (pass === maxPasses || isConverged(turnedBasis, turnedImage, values.subarray(0, wanted))) {
      const kept = emptyBlock(wanted, size);
      kept.values.set(turnedBasis.values.subarray(0, wanted * size));
      return { values: values.slice(0, wanted), vectors: kept };
    }
    basis = turnedImage;
    orthonormalise(basis);
  }
}

function timesSymmetric(block: Block, matrix: Block): Block {
  const out = emptyBlock(block.rows, matrix.rows);
  for (let row = 0; row < block.rows; row++)
    for (let i = 0; i < matrix.rows; i++) out.values[row * matrix.rows + i] = dot(block, row, matrix, i);
  return out;
}

/** Says whether image = value x basis in every row, within the tolerance `converged`. */
function isConverged(basis: Block, image: Block, values: Float64Array): boolean {
  const { length } = basis;
  for (let row = 0; row < values.length; row++) {
    let residual = 0;
    for (let i = row * length; i < (row + 1) * length; i++)
      residual += (image.values[i] - values[row] * basis.values[i]) ** 2;
    if (Math.sqrt(residual) > values[0] * converged) return false;
  }
  return true;
}

function fixSign(axis: Float32Array): void {
  let largest = 0;
  for (let i = 1; i < axis.length; i++) if (Math.abs(axis[i]) > Math.abs(axis[largest])) largest = i;
  if (axis[largest] >= 0) return;
  for (let i = 0; i < axis.length; i++) axis[i] = -axis[i];
}
