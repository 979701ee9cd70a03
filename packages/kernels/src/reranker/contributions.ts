import { type EvaluateOptions, goesLeft, rowsOf, usedIterations } from './evaluate.js';
import type { TreeEnsemble } from './model.js';

/** Computes the contribution of each feature to the raw score of a row. Each thread needs its own instance. */
export interface ContributionWalker {
  /**
   * @param features row-major float64 [rows x features], as for a `TreeWalker`.
   * @returns row-major float64 [rows x treesPerIteration x (features + 1)]: the contribution of each feature, then the expected value
   * without any feature (the mean over the training data). They sum to the raw score, up to rounding.
   */
  contributions(features: Float64Array, options?: EvaluateOptions): Float64Array;
}

/**
 * Computes exact Shapley values of the features over the paths of the trees: if a feature is unknown, a row follows both branches,
 * weighted by the shares of the training rows. Features that no tree uses have 0.
 *
 * The cost is rows x trees x leaves x depth^2: the method is meant for the terms that are shown, not for all candidates.
 * @throws RangeError for a model without the number of training rows of each leaf
 * @cite Lundberg2020TreeShap
 */
export function createContributionWalker(model: TreeEnsemble): ContributionWalker {
  const { leafCounts } = model;
  if (leafCounts === null)
    throw new RangeError('the model does not say how many rows each leaf had (leaf_count)');
  const cover = coversOf(model, leafCounts);
  const deepest = deepestOf(model);
  const width = model.featureNames.length + 1;
  const outputs = model.treesPerIteration;
  return {
    contributions(features, options = {}) {
      const rows = rowsOf(features, width - 1);
      const iterations = usedIterations(model, options);
      const sums = new Float64Array(rows * outputs * width);
      const path = new Path(deepest + 2);
      for (let row = 0; row < rows; row++)
        for (let tree = 0; tree < iterations * outputs; tree++) {
          const out = sums.subarray(
            (row * outputs + (tree % outputs)) * width,
            (row * outputs + (tree % outputs) + 1) * width,
          );
          out[width - 1] += cover.expected[tree];
          if (model.roots[tree] < 0) continue;
          new TreeWalk(model, cover, { features, offset: row * (width - 1), path, out }).run(
            model.roots[tree],
          );
        }
      if (model.averageOutput) for (let i = 0; i < sums.length; i++) sums[i] /= iterations;
      return sums;
    },
  };
}

interface Covers {
  /** The number of training rows that reached each node: Float64 [nodes]. */
  node: Float64Array;
  leaf: Float64Array;
  /** The mean of the leaves over the training rows: Float64 [trees]. */
  expected: Float64Array;
}

function coversOf({ nodes, roots, leafValues }: TreeEnsemble, leafCounts: Float64Array): Covers {
  const node = new Float64Array(nodes.feature.length);
  const expected = new Float64Array(roots.length);
  const visit = (place: number): { rows: number; sum: number } => {
    if (place < 0) {
      const leaf = -1 - place;
      return { rows: leafCounts[leaf], sum: leafCounts[leaf] * leafValues[leaf] };
    }
    const left = visit(nodes.left[place]);
    const right = visit(nodes.right[place]);
    node[place] = left.rows + right.rows;
    return { rows: node[place], sum: left.sum + right.sum };
  };
  roots.forEach((root, tree) => {
    const { rows, sum } = visit(root);
    expected[tree] = root < 0 ? leafValues[-1 - root] : sum / rows;
  });
  return { node, leaf: leafCounts, expected };
}

function deepestOf({ nodes, roots }: TreeEnsemble): number {
  const depth = (place: number): number =>
    place < 0 ? 0 : 1 + Math.max(depth(nodes.left[place]), depth(nodes.right[place]));
  return roots.reduce((most, root) => Math.max(most, depth(root)), 0);
}

/**
 * The features on the current path, for each depth of the recursion: the share of paths that continue if the feature is unknown (`zero`),
 * whether this row continues (`one`), and the weights of subsets by size.
 */
class Path {
  readonly feature: Int32Array;
  readonly zero: Float64Array;
  readonly one: Float64Array;
  readonly weight: Float64Array;

  constructor(readonly levels: number) {
    const size = ((levels + 1) * (levels + 2)) / 2;
    this.feature = new Int32Array(size);
    this.zero = new Float64Array(size);
    this.one = new Float64Array(size);
    this.weight = new Float64Array(size);
  }

  copy(from: number, to: number, length: number): void {
    for (const column of [this.feature, this.zero, this.one, this.weight])
      column.copyWithin(to, from, from + length);
  }

  /** Adds a feature as element `depth` of the path at `start`. */
  extend(
    start: number,
    depth: number,
    { zero, one, feature }: { zero: number; one: number; feature: number },
  ): void {
    const { weight } = this;
    this.feature[start + depth] = feature;
    this.zero[start + depth] = zero;
    this.one[start + depth] = one;
    weight[start + depth] = depth === 0 ? 1 : 0;
    for (let i = depth - 1; i >= 0; i--) {
      weight[start + i + 1] += (one * weight[start + i] * (i + 1)) / (depth + 1);
      weight[start + i] = (zero * weight[start + i] * (depth - i)) / (depth + 1);
    }
  }

  /** Removes element `at` of the path whose last element is `depth`. */
  unwind(start: number, depth: number, at: number): void {
    const { weight } = this;
    const one = this.one[start + at];
    const zero = this.zero[start + at];
    let next = weight[start + depth];
    for (let i = depth - 1; i >= 0; i--) {
      if (one !== 0) {
        const before = weight[start + i];
        weight[start + i] = (next * (depth + 1)) / ((i + 1) * one);
        next = before - (weight[start + i] * zero * (depth - i)) / (depth + 1);
      } else weight[start + i] = (weight[start + i] * (depth + 1)) / (zero * (depth - i));
    }
    for (let i = at; i < depth; i++) {
      this.feature[start + i] = this.feature[start + i + 1];
      this.zero[start + i] = this.zero[start + i + 1];
      this.one[start + i] = this.one[start + i + 1];
    }
  }

  /** Sums the weights without element `at`. */
  unwoundSum(start: number, depth: number, at: number): number {
    const one = this.one[start + at];
    const zero = this.zero[start + at];
    let next = this.weight[start + depth];
    let total = 0;
    for (let i = depth - 1; i >= 0; i--) {
      if (one !== 0) {
        const part = (next * (depth + 1)) / ((i + 1) * one);
        total += part;
        next = this.weight[start + i] - (part * zero * (depth - i)) / (depth + 1);
      } else total += (this.weight[start + i] * (depth + 1)) / (zero * (depth - i));
    }
    return total;
  }
}

interface Walked {
  features: Float64Array;
  /** The start of the row in the matrix. */
  offset: number;
  path: Path;
  /** The contributions of the row, accumulated. */
  out: Float64Array;
}

class TreeWalk {
  readonly #model: TreeEnsemble;
  readonly #cover: Covers;
  readonly #row: Walked;

  constructor(model: TreeEnsemble, cover: Covers, row: Walked) {
    this.#model = model;
    this.#cover = cover;
    this.#row = row;
  }

  run(root: number): void {
    this.#down(root, { depth: 0, start: 0, zero: 1, one: 1, feature: -1 });
  }

  #down(
    place: number,
    {
      depth,
      start,
      zero,
      one,
      feature,
    }: { depth: number; start: number; zero: number; one: number; feature: number },
  ): void {
    const { path, features, offset } = this.#row;
    const { nodes } = this.#model;
    const own = start + depth;
    path.copy(start, own, depth);
    path.extend(own, depth, { zero, one, feature });
    if (place < 0) {
      this.#leaf(-1 - place, own, depth);
      return;
    }
    const split = nodes.feature[place];
    const left = goesLeft(nodes, place, features[offset + split]);
    const hot = left ? nodes.left[place] : nodes.right[place];
    const cold = left ? nodes.right[place] : nodes.left[place];
    let at = 1;
    while (at <= depth && path.feature[own + at] !== split) at++;
    const seen = at <= depth;
    const before = { zero: seen ? path.zero[own + at] : 1, one: seen ? path.one[own + at] : 1 };
    if (seen) path.unwind(own, depth, at);
    const next = { depth: depth + (seen ? 0 : 1), start: own, feature: split };
    const share = (child: number): number => this.#coverOf(child) / this.#cover.node[place];
    this.#down(hot, { ...next, zero: share(hot) * before.zero, one: before.one });
    this.#down(cold, { ...next, zero: share(cold) * before.zero, one: 0 });
  }

  #leaf(leaf: number, start: number, depth: number): void {
    const { path, out } = this.#row;
    const value = this.#model.leafValues[leaf];
    for (let at = 1; at <= depth; at++) {
      const weight = path.unwoundSum(start, depth, at);
      out[path.feature[start + at]] += weight * (path.one[start + at] - path.zero[start + at]) * value;
    }
  }

  #coverOf(place: number): number {
    return place < 0 ? this.#cover.leaf[-1 - place] : this.#cover.node[place];
  }
}
