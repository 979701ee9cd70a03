import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyFeatureTable } from '../features/index.js';
import { categoryEncoder, createPlainWalker, featureMatrix, predictWith, toProbabilities } from './index.js';
import { goldenCases, goldenModel, goldenRows } from './testing/golden.js';

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
const single = goldenCases().filter(({ name }) => !name.startsWith('multiclass'));

it.each(single)('scores of $name lie in [0, 1] and keep the order', ({ name }) => {
  const test = goldenCases().find((one) => one.name === name)!;
  const model = goldenModel(name);
  const rows = goldenRows(test, model.pandasCategories === null ? null : categoryEncoder(model));
  const predictions = predictWith(createPlainWalker(model), model, Float64Array.from(rows.flat()));
  const scores = toProbabilities(model, predictions.slice());
  expect([...scores].every((score) => score >= 0 && score <= 1)).toBe(true);
  const order = [...scores.keys()].sort((a, b) => predictions[a] - predictions[b]);
  order.slice(1).forEach((row, i) => expect(scores[row]).toBeGreaterThanOrEqual(scores[order[i]]));
});

it('turns orders and intensities into probabilities by the objective alone', () => {
  fc.assert(
    fc.property(fc.double({ min: -30, max: 30, noNaN: true }), (x) => {
      const of = (name: string, value: number) =>
        toProbabilities(goldenModel(name), Float64Array.of(value))[0];
      expect(of('lambdarank', x)).toBe(logistic(x));
      // The intensity log(1 + exp(x)) corresponds to an event with probability 1 / (1 + exp(-x)).
      expect(of('cross-entropy-lambda', Math.log1p(Math.exp(x)))).toBeCloseTo(logistic(x), 12);
      expect(of('regression', x)).toBe(Math.min(1, Math.max(0, x)));
      expect(of('binary', 0.25)).toBe(0.25);
    }),
    { numRuns: 50 },
  );
});

it('takes columns by name, in the order of the model, and says which one is missing', () => {
  const model = { ...goldenModel('binary-pandas'), featureNames: ['aspect', 'distance', 'vote_count'] };
  const table = emptyFeatureTable(3);
  table.numbers.distance.set([0.5, 0.25, 1]);
  table.categories.aspect[1] = 'mfo';
  table.categories.aspect[2] = 'other';
  const encode = categoryEncoder(model, { aspect: ['bpo', 'mfo'] });
  const { NaN: none } = Number;
  const matrix = featureMatrix(model, encode, table, { start: 1, endExclusive: 3 });
  expect([...matrix]).toEqual([1, 0.25, none, none, 1, none]);
  const other = { ...model, featureNames: ['pagerank'] };
  expect(() => featureMatrix(other, encode, table, { start: 0, endExclusive: 1 })).toThrow('"pagerank"');
});
