import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import {
  createContributionWalker,
  createPlainWalker,
  leafOf,
  parseLightgbmModel,
  type TreeEnsemble,
} from './index.js';
import { goldenCases, goldenContributions, goldenModel, goldenRows } from './testing/golden.js';
import { expectNear } from './testing/near.js';

/** The tree has two splits: x0 <= 0.5 (10 or 30 rows), then on the right x1 <= 2 (12 or 18 rows). */
const stump = [
  ...['tree', 'version=v4', 'num_class=1', 'num_tree_per_iteration=1', 'max_feature_idx=2'],
  ...[
    'objective=binary sigmoid:1',
    'feature_names=a b c',
    'feature_infos=[0:1] [0:5] none',
    'tree_sizes=1',
    '',
  ],
  ...['Tree=0', 'num_leaves=3', 'num_cat=0', 'split_feature=0 1', 'threshold=0.5 2', 'decision_type=8 8'],
  ...['left_child=-1 -2', 'right_child=1 -3', 'leaf_value=1 2 6', 'leaf_count=10 12 18', ''],
  ...['end of trees', ''],
].join('\n');

/**
 * Returns the mean of the tree if only the features in the set are known: both branches, weighted by their shares of the training rows.
 */
function meanKnowing(model: TreeEnsemble, tree: number, row: number[], known: ReadonlySet<number>): number {
  const { nodes, leafCounts, leafValues } = model;
  const rowsBelow = (place: number): number =>
    place < 0 ? leafCounts![-1 - place] : rowsBelow(nodes.left[place]) + rowsBelow(nodes.right[place]);
  const walk = (place: number): number => {
    if (place < 0) return leafValues[-1 - place];
    const [left, right] = [nodes.left[place], nodes.right[place]];
    if (!known.has(nodes.feature[place]))
      return (walk(left) * rowsBelow(left) + walk(right) * rowsBelow(right)) / rowsBelow(place);
    // The branch is the one that the evaluator takes: the leaf of a copy of the model whose root is this node.
    const from = { ...model, roots: Int32Array.of(place) };
    const leaf = leafOf(from, 0, Float64Array.from(row), 0);
    const holds = (at: number): boolean =>
      at < 0 ? -1 - at === leaf : holds(nodes.left[at]) || holds(nodes.right[at]);
    return walk(holds(left) ? left : right);
  };
  return walk(model.roots[tree]);
}

/** Computes Shapley values from their definition, over all subsets of the features that the tree uses. */
function slowContributions(model: TreeEnsemble, row: number[]): number[] {
  const width = model.featureNames.length;
  const sums = new Array<number>(width + 1).fill(0);
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  model.roots.forEach((root, tree) => {
    const asked = new Set<number>();
    const collect = (place: number): void => {
      if (place < 0) return;
      asked.add(model.nodes.feature[place]);
      collect(model.nodes.left[place]);
      collect(model.nodes.right[place]);
    };
    collect(root);
    sums[width] += meanKnowing(model, tree, row, new Set());
    const features = [...asked];
    for (const feature of features) {
      const others = features.filter((other) => other !== feature);
      for (let bits = 0; bits < 1 << others.length; bits++) {
        const known = new Set(others.filter((_, i) => bits & (1 << i)));
        const share =
          (factorial(known.size) * factorial(others.length - known.size)) / factorial(features.length);
        const without = meanKnowing(model, tree, row, known);
        sums[feature] += share * (meanKnowing(model, tree, row, new Set([...known, feature])) - without);
      }
    }
  });
  return sums;
}

describe('contributions of features', () => {
  it('are what the definition says for one small tree', () => {
    const model = parseLightgbmModel(stump);
    const walker = createContributionWalker(model);
    // The mean is (10 + 24 + 108) / 40 = 3.55. With a known, the right side has 4.4; with b known, 1 has the weight 1/4 and 6 has 3/4.
    const [a, b, c, mean] = walker.contributions(Float64Array.of(1, 3, 0));
    expect(mean).toBeCloseTo(3.55, 12);
    expect(c).toBe(0);
    expect(a).toBeCloseTo((4.4 - 3.55 + 6 - 4.75) / 2, 12);
    expect(b).toBeCloseTo((4.75 - 3.55 + 6 - 4.4) / 2, 12);
  });

  it('refuses a model without counts', () => {
    const model = parseLightgbmModel(stump.replace(/leaf_count=.*\n/, ''));
    expect(() => createContributionWalker(model)).toThrow('leaf_count');
  });
});

describe('contributions in models of every kind', () => {
  const cases = goldenCases();
  it.each(goldenContributions())('are those of LightGBM: $name', ({ name, contributions }) => {
    const rows = goldenRows(cases.find((one) => one.name === name)!, null).slice(0, contributions.length);
    const walker = createContributionWalker(goldenModel(name));
    expectNear(
      rows.map((row) => [...walker.contributions(Float64Array.from(row))]),
      contributions,
    );
  });
});

const folder = sharedData('data', 'lightgbm');

describe.skipIf(!folder)('contributions in public models', () => {
  const unpacked = (name: string) => {
    const bytes = readFileSync(join(folder!, name));
    return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
  };
  const rowsOf = (name: string) =>
    unpacked(name)
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));

  it('add up to the raw score', () => {
    const model = parseLightgbmModel(unpacked('lg_breast_cancer.txt.gz'));
    const walker = createContributionWalker(model);
    const width = model.featureNames.length + 1;
    const features = Float64Array.from(rowsOf('lg_breast_cancer_data.txt').flat());
    const found = walker.contributions(features);
    createPlainWalker(model)
      .rawScores(features)
      .forEach((score, row) => {
        const sum = found.subarray(row * width, (row + 1) * width).reduce((total, value) => total + value, 0);
        expect(Math.abs(sum - score)).toBeLessThan(1e-9);
      });
  });

  it('equal Shapley values over all subsets of features', () => {
    const model = parseLightgbmModel(unpacked('lg_breast_cancer.txt.gz'));
    const few = { ...model, iterations: 3, roots: model.roots.slice(0, 3) };
    const walker = createContributionWalker(few);
    for (const row of rowsOf('lg_breast_cancer_data.txt').slice(0, 3)) {
      const found = walker.contributions(Float64Array.from(row));
      slowContributions(few, row).forEach((value, i) =>
        expect(Math.abs(found[i] - value)).toBeLessThan(1e-9),
      );
    }
  });
});
