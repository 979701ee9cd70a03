import { missingNan, missingZero, type TreeEnsemble } from './model.js';
import { applyObjective } from './objective.js';

/** The bound below which values count as 0, as in LightGBM (1e-35 in float32). */
export const zeroThreshold = Math.fround(1e-35);

export interface EvaluateOptions {
  /** The number of first iterations to use; all by default, or if the model has fewer. */
  iterations?: number;
}

/** Sums the leaves for rows of features. Each thread needs its own instance. */
export interface TreeWalker {
  readonly name: string;
  /**
   * @param features row-major float64 [rows x features], with columns in the order of the model's feature names; NaN is missing.
   * @returns raw sums, row-major float64 [rows x treesPerIteration], added in the order of the trees, so every implementation returns
   * identical values
   */
  rawScores(features: Float64Array, options?: EvaluateOptions): Float64Array;
}

/**
 * Walks each tree for each row. This is the simple implementation, with which tests compare the others.
 *
 * At numeric splits, NaN counts as 0 unless the node's missing type is NaN; a missing value (NaN, or 0 if the missing type is zero) goes
 * in the default direction, and any other goes left if value <= threshold. At categorical splits, the integer part of the value is looked
 * up in the node's set; NaN, negative and unknown codes go right. Cost: rows x trees x depth.
 *
 * @throws RangeError if the matrix does not hold whole rows
 * @cite Ke2017LightGBM
 */
export function createPlainWalker(model: TreeEnsemble): TreeWalker {
  return {
    name: 'plain',
    rawScores(features, options = {}) {
      const width = model.featureNames.length;
      const outputs = model.treesPerIteration;
      const rows = rowsOf(features, width);
      const trees = usedIterations(model, options) * outputs;
      const sums = new Float64Array(rows * outputs);
      for (let row = 0; row < rows; row++) {
        for (let tree = 0; tree < trees; tree++) {
          const leaf = leafOf(model, tree, features, row * width);
          sums[row * outputs + (tree % outputs)] += model.leafValues[leaf];
        }
      }
      return sums;
    },
  };
}

/** Returns the number of rows of a feature matrix. @throws RangeError if it does not hold whole rows */
export function rowsOf(features: Float64Array, width: number): number {
  const rows = features.length / width;
  if (!Number.isInteger(rows)) {
    throw new RangeError(`${features.length} values are not whole rows of ${width} features`);
  }
  return rows;
}

export function usedIterations(model: TreeEnsemble, { iterations }: EvaluateOptions): number {
  if (iterations === undefined) return model.iterations;
  if (!(Number.isInteger(iterations) && iterations > 0)) {
    throw new RangeError(`${iterations} iterations: expected a whole number above 0`);
  }
  return Math.min(iterations, model.iterations);
}

/** Returns the leaf that a row reaches, numbered over the whole ensemble. The row starts at features[offset]. */
export function leafOf(model: TreeEnsemble, tree: number, features: Float64Array, offset: number): number {
  const { nodes } = model;
  let node = model.roots[tree];
  while (node >= 0) {
    const value = features[offset + nodes.feature[node]];
    node = goesLeft(nodes, node, value) ? nodes.left[node] : nodes.right[node];
  }
  return -1 - node;
}

/** Says whether a value goes to the left child of a node. */
export function goesLeft(nodes: TreeEnsemble['nodes'], node: number, given: number): boolean {
  const decision = nodes.decision[node];
  if ((decision & 1) !== 0) return inCategorySet(nodes, node, given);
  const missing = decision >> 2;
  let value = Math.abs(given) <= zeroThreshold ? 0 : given;
  if (Number.isNaN(value) && missing !== missingNan) value = 0;
  if (Number.isNaN(value) || (missing === missingZero && value === 0)) return (decision & 2) !== 0;
  return value <= nodes.threshold[node];
}

function inCategorySet(nodes: TreeEnsemble['nodes'], node: number, value: number): boolean {
  const code = Math.trunc(value);
  if (!(code >= 0 && code < nodes.categoryLength[node] * 32)) return false;
  return ((nodes.categoryWords[nodes.categoryStart[node] + (code >>> 5)] >>> (code & 31)) & 1) === 1;
}

/**
 * Returns predictions of the model: raw sums, averaged for random forests, then transformed by the model's objective.
 *
 * @returns row-major float64 [rows x treesPerIteration]
 */
export function predictWith(
  walker: TreeWalker,
  model: TreeEnsemble,
  features: Float64Array,
  options: EvaluateOptions = {},
): Float64Array {
  const values = walker.rawScores(features, options);
  if (model.averageOutput) {
    const iterations = usedIterations(model, options);
    for (let i = 0; i < values.length; i++) values[i] /= iterations;
  }
  applyObjective(model.objective.transform, values, model.treesPerIteration);
  return values;
}
