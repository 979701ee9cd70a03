import type { Metric } from './types.js';

/** Distances below this become 0: float32 vectors have no finer resolution, and equal vectors must have distance 0. */
const resolution = 1e-12;

/** Returns the Euclidean length of every row: Float64 [rows]. The array is empty for l2, which does not need it. */
export function rowNorms(vectors: Float32Array, dimension: number, metric: Metric): Float64Array {
  if (metric === 'l2') return new Float64Array(0);
  const norms = new Float64Array(vectors.length / dimension);
  for (let row = 0; row < norms.length; row++) {
    let sum = 0;
    for (let i = row * dimension, end = i + dimension; i < end; i++) sum += vectors[i] * vectors[i];
    norms[row] = Math.sqrt(sum);
  }
  return norms;
}

/**
 * Returns the cosine distance from a dot product and the product of the two lengths, as float32 in a number: 0 to 2. A zero vector has no
 * direction, so its distance to every vector is 1.
 */
export function cosineDistance(dot: number, normProduct: number): number {
  if (normProduct === 0) return 1;
  const distance = 1 - dot / normProduct;
  if (distance < resolution) return 0;
  return distance > 2 ? 2 : Math.fround(distance);
}

/** Returns the squared Euclidean distance, as float32 in a number. */
export function squaredDistance(sum: number): number {
  return sum < resolution * resolution ? 0 : Math.fround(sum);
}

/** Returns the distance of two vectors of one length. All searches in this folder return exactly this number. Cost: O(dimension). */
export function distanceBetween(left: ArrayLike<number>, right: ArrayLike<number>, metric: Metric): number {
  let sum = 0;
  if (metric === 'l2') {
    for (let i = 0; i < left.length; i++) {
      const difference = left[i] - right[i];
      sum += difference * difference;
    }
    return squaredDistance(sum);
  }
  let leftSquare = 0;
  let rightSquare = 0;
  for (let i = 0; i < left.length; i++) {
    sum += left[i] * right[i];
    leftSquare += left[i] * left[i];
    rightSquare += right[i] * right[i];
  }
  return cosineDistance(sum, Math.sqrt(leftSquare) * Math.sqrt(rightSquare));
}
