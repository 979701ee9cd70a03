import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { categoryEncoder } from './categories.js';
import { createPlainWalker, leafOf, parseLightgbmModel, predictWith, type TreeEnsemble } from './index.js';
import { goldenCases, goldenModel, goldenRows } from './testing/golden.js';
import { expectNear } from './testing/near.js';

const folder = sharedData('data', 'lightgbm');
const unpacked = (name: string) => {
  const bytes = readFileSync(join(folder!, name));
  return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
};
const numbers = (text: string, separator: RegExp) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(separator).map(Number));

function predictions(model: TreeEnsemble, rows: number[][], iterations?: number): number[][] {
  const walker = createPlainWalker(model);
  return rows.map((row) => [...predictWith(walker, model, Float64Array.from(row), { iterations })]);
}

function leaves(model: TreeEnsemble, row: number[]): number[] {
  const features = Float64Array.from(row);
  return [...model.roots].map((_, tree) => leafOf(model, tree, features, 0) - model.leafStart[tree]);
}

describe.skipIf(!folder)('public models', () => {
  it('gives the probabilities and raw scores of five classes', () => {
    const model = parseLightgbmModel(unpacked('lgmulticlass.model.gz'));
    const rows = numbers(unpacked('multiclass_test.tsv.gz'), /\t/).map((row) => row.slice(1));
    expect([model.version, model.iterations, model.treesPerIteration, rows.length]).toEqual([
      'v2',
      10,
      5,
      500,
    ]);
    expectNear(predictions(model, rows), numbers(unpacked('lgmulticlass_true_predictions.txt'), /\t/));
    const raw = rows.map((row) => [...createPlainWalker(model).rawScores(Float64Array.from(row))]);
    expectNear(raw, numbers(unpacked('lgmulticlass_true_raw_predictions.txt'), /\t/));
  });

  it('ends in the leaves of the binary model', () => {
    const model = parseLightgbmModel(unpacked('lg_breast_cancer.txt.gz'));
    const rows = numbers(unpacked('lg_breast_cancer_data.txt'), / +/);
    expect(model.roots).toHaveLength(39);
    const expected = numbers(unpacked('lg_breast_cancer_data_pred_leaves.txt'), / +/);
    expect(rows.map((row) => leaves(model, row))).toEqual(expected);
  });

  it('follows categorical splits', () => {
    const model = parseLightgbmModel(unpacked('toy_categorical_model.txt'));
    const rows = numbers(unpacked('toy_categorical.test').replaceAll(/ \d:/g, ' '), / +/).map((row) =>
      row.slice(1),
    );
    expect(model.featureKinds).toEqual(['categorical', 'categorical']);
    expectNear(predictions(model, rows), numbers(unpacked('toy_categorical.test.pred'), / /));
  });
});

describe('models trained for these tests', () => {
  it('are at least twenty', () => {
    expect(goldenCases().length).toBeGreaterThanOrEqual(20);
  });

  it.each(goldenCases())('$name', (test) => {
    const model = goldenModel(test.name);
    const rows = goldenRows(test, model.pandasCategories === null ? null : categoryEncoder(model));
    const walker = createPlainWalker(model);
    expect(rows.map((row) => leaves(model, row))).toEqual(test.leaves);
    expectNear(predictions(model, rows), test.predictions);
    expectNear(
      rows.map((row) => [...walker.rawScores(Float64Array.from(row))]),
      test.raw,
    );
    if (test.limit !== undefined) expectNear(predictions(model, rows, test.limit), test.limited!);
  });
});
