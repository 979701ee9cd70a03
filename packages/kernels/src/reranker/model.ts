/** The ways in which raw sums of leaves are turned into predictions. */
export type ObjectiveTransform =
  | { kind: 'identity' }
  /** The result is 1 / (1 + exp(-sigmoid x)), for each class separately. */
  | { kind: 'logistic'; sigmoid: number }
  | { kind: 'exp' }
  /** The result is log(1 + exp(x)). */
  | { kind: 'softplus' }
  | { kind: 'softmax' }
  /** The result is sign(x) x^2, for regression on square roots. */
  | { kind: 'signed_square' };

export interface Objective {
  /** The name of the objective without its parameters; `custom` if the model has none. */
  name: string;
  transform: ObjectiveTransform;
  /** Whether predictions are between 0 and 1. */
  probabilities: boolean;
}

/** LightGBM's missing types, which say what values a node treats as missing; 0 means none. */
export const missingZero = 1;
export const missingNan = 2;

/**
 * The nodes of all trees, one after another; node 0 of a tree is its root.
 *
 * A child that is not negative is a node; -1 - l is leaf l. `decision` has bit 0 for a categorical split, bit 1 for "a missing value
 * goes left", bits 2 and 3 for the missing type. A numeric value goes left when value <= threshold; a category when its bit is set
 * in the words `categoryWords[categoryStart[node] .. categoryStart[node] + categoryLength[node])`.
 */
export interface TreeNodes {
  /** The column of the feature matrix that a node tests: Int32 [nodes]. */
  feature: Int32Array;
  /** The threshold of each node, NaN at categorical splits: Float64 [nodes]. */
  threshold: Float64Array;
  decision: Uint8Array;
  left: Int32Array;
  right: Int32Array;
  categoryStart: Int32Array;
  categoryLength: Int32Array;
  categoryWords: Uint32Array;
}

/** A boosted or bagged ensemble of decision trees, as read from LightGBM's text format. */
export interface TreeEnsemble {
  version: string;
  featureNames: string[];
  /** The kind of each feature: numeric, categorical, or not used by any tree. */
  featureKinds: ('numeric' | 'categorical' | 'unused')[];
  classCount: number;
  /** The number of trees of an iteration: one for each class (or one). Tree t belongs to output t mod treesPerIteration. */
  treesPerIteration: number;
  iterations: number;
  /** Whether sums are divided by the number of iterations (random forests). */
  averageOutput: boolean;
  objective: Objective;
  nodes: TreeNodes;
  /** The root of each tree: a node, or -1 - l for a tree that consists of leaf l alone. Int32 [trees] */
  roots: Int32Array;
  /** The values of the leaves, finite: Float64 [leaves]. */
  leafValues: Float64Array;
  /** The first leaf of each tree, to convert leaf numbers to LightGBM's numbering within a tree: Int32 [trees]. */
  leafStart: Int32Array;
  /** The number of training rows in each leaf (0 for a tree with one leaf); null if the file does not have them. Float64 [leaves] */
  leafCounts: Float64Array | null;
  /** The values of each categorical column of the training table, in column order; null if the model has none. */
  pandasCategories: (string | number | boolean)[][] | null;
}

export function usedFeatures(model: TreeEnsemble): string[] {
  const used = new Set(model.nodes.feature);
  return model.featureNames.filter((_, index) => used.has(index));
}

/** Returns the number of splits that use each feature, by name: LightGBM's importance of type "split". */
export function splitCounts(model: TreeEnsemble): Record<string, number> {
  const counts = new Array<number>(model.featureNames.length).fill(0);
  for (const feature of model.nodes.feature) counts[feature]++;
  return Object.fromEntries(model.featureNames.map((name, index) => [name, counts[index]]));
}
