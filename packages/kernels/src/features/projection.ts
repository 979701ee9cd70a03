/** The principal axes of a set of vectors: coordinate i of v is (v - mean) . components[i]. */
export interface Projection {
  dimension: number;
  /** The number of axes found, at most the requested number. */
  axes: number;
  /** The mean of the vectors: Float32 [dimension]. */
  mean: Float32Array;
  /** The axes as orthonormal vectors, largest variance first: Float32 [axes x dimension]. */
  components: Float32Array;
}

/**
 * Returns the coordinates of the mean of each group's vectors along the axes: Float32 [groups x axes], NaN for a group without a vector.
 * `groupOfRow` is Int32 [rows], `vectors` Float32 [rows x dimension]. A group's coordinates depend only on its own vectors: other groups
 * do not change a single bit. Cost: O(rows x dimension + groups x axes x dimension).
 * @throws RangeError if the vectors do not fit the projection
 */
export function projectGroups(
  projection: Projection,
  { vectors, groupOfRow, groups }: { vectors: Float32Array; groupOfRow: Int32Array; groups: number },
): Float32Array {
  const { dimension, axes, mean, components } = projection;
  if (vectors.length !== groupOfRow.length * dimension)
    throw new RangeError(
      `${groupOfRow.length} vectors of ${dimension} components need ${groupOfRow.length * dimension} numbers, got ${vectors.length}`,
    );
  const rowsOf = new Int32Array(groups);
  const centre = new Float64Array(groups * dimension);
  for (let row = 0; row < groupOfRow.length; row++) {
    const group = groupOfRow[row];
    rowsOf[group]++;
    for (let d = 0; d < dimension; d++) centre[group * dimension + d] += vectors[row * dimension + d];
  }
  const out = new Float32Array(groups * axes).fill(Number.NaN);
  for (let group = 0; group < groups; group++) {
    if (rowsOf[group] === 0) continue;
    const base = group * dimension;
    for (let d = 0; d < dimension; d++) centre[base + d] = centre[base + d] / rowsOf[group] - mean[d];
    for (let axis = 0; axis < axes; axis++) {
      let sum = 0;
      for (let d = 0; d < dimension; d++) sum += centre[base + d] * components[axis * dimension + d];
      out[group * axes + axis] = sum;
    }
  }
  return out;
}
