import { FormatError } from '@kindred/kernels/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  categoryEncoder,
  categoryTable,
  createPlainWalker,
  parseLightgbmModel,
  parseLightgbmModelInTurns,
  predictWith,
} from './index.js';
import { goldenCases, goldenModel, goldenModelText, goldenRows } from './testing/golden.js';

const text = goldenModelText('binary-categories');
const lines = text.split('\n');
const lineOf = (start: string) => lines.findIndex((line) => line.startsWith(start)) + 1;
/** Replaces the first line of the model that starts with `start`. */
function changed(start: string, line: string): string {
  const copy = [...lines];
  copy[lineOf(start) - 1] = line;
  return copy.join('\n');
}
function faultOf(model: string): FormatError {
  try {
    parseLightgbmModel(model);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  throw new Error('the model was taken');
}

it('reads the same model in turns, one a tree, and finds the same faults', async () => {
  let turns = 0;
  const pause = async () => void turns++;
  const model = await parseLightgbmModelInTurns(text, pause);
  expect(model).toEqual(parseLightgbmModel(text));
  expect(turns).toBe(model.roots.length);
  const broken = changed('version=', 'version=v9');
  await expect(parseLightgbmModelInTurns(broken, pause)).rejects.toThrow(faultOf(broken).message);
});

describe('a broken model file', () => {
  it.each([
    ['tree', 'forest', 'expected "tree"'],
    ['version=', 'version=v9', 'expected v2, v3 or v4'],
    ['num_class=', 'num_class=many', 'whole number'],
    ['max_feature_idx=', 'max_feature_idx=-1', 'whole number'],
    ['feature_infos=', 'feature_infos=none', 'expected 8'],
    ['objective=', 'objective=magic', 'is not known'],
    ['objective=', 'objective=binary sigmoid:0', 'expected a number above 0'],
    ['Tree=1', 'Tree=7', 'expected Tree=1'],
    ['num_leaves=', 'num_leaves=0', 'whole number'],
    ['split_feature=', 'split_feature=0 1', 'expected 8'],
    ['split_feature=', 'split_feature=0 1 2 3 4 5 6 8', 'from 0 to 7'],
    ['threshold=', 'threshold=a 0 0 0 0 0 0 0', 'finite number'],
    ['decision_type=', 'decision_type=2 2 2 2 2 2 2 12', 'from 0 to 11'],
    ['left_child=', 'left_child=0 1 2 3 4 5 6 7', 'root'],
    ['leaf_value=', 'leaf_value=1 2 3 4 5 6 7 8 nan', 'finite number'],
    ['is_linear=', 'is_linear=1', 'linear_tree=false'],
    ['pandas_categorical:', 'pandas_categorical:[1', 'JSON list'],
  ])('%s as %s is reported with its line', (start, line, reason) => {
    const fault = faultOf(changed(start, line));
    const place = lineOf(start === 'max_feature_idx=' ? 'max_feature_idx=' : start);
    expect(fault.line).toBe(place);
    expect(fault.message).toContain(reason);
  });

  it('is reported when names are missing, twice, or too few', () => {
    expect(faultOf(changed('feature_names=', 'feature_names=a b')).line).toBe(lineOf('feature_names='));
    const twice = faultOf(changed('feature_names=', 'feature_names=a a b c d e f g'));
    expect(twice.message).toContain('"a" is named twice');
    expect(faultOf(changed('feature_names=', 'names=a')).message).toContain('expected a line feature_names=');
  });

  it('is reported when trees are missing at its end', () => {
    const cut = lines.slice(0, lineOf('Tree=5') - 1).join('\n');
    expect(faultOf(cut).message).toContain('ends its trees after 5, but tree_sizes');
  });

  it('never loops, and never fails otherwise, whatever single line is lost, doubled or cut', () => {
    const all = fc.integer({ min: 0, max: lines.length - 2 });
    fc.assert(
      fc.property(all, fc.constantFrom('drop', 'double', 'cut'), fc.nat(200), (at, how, length) => {
        const copy = [...lines];
        if (how === 'drop') copy.splice(at, 1);
        else if (how === 'double') copy.splice(at, 0, copy[at]);
        else copy[at] = copy[at].slice(0, length);
        try {
          const model = parseLightgbmModel(copy.join('\n'));
          createPlainWalker(model).rawScores(new Float64Array(model.featureNames.length));
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('refuses a circle among splits', () => {
    const circle = [
      ...['tree', 'version=v4', 'num_class=1', 'num_tree_per_iteration=1', 'max_feature_idx=0'],
      ...['feature_names=x', 'feature_infos=[0:1]', '', 'Tree=0', 'num_leaves=4', 'split_feature=0 0 0'],
      ...[
        'threshold=0 0 0',
        'decision_type=2 2 2',
        'left_child=-1 2 1',
        'right_child=-2 -3 -4',
        'leaf_value=1 2 3 4',
      ],
    ].join('\n');
    expect(faultOf(circle).message).toContain('split 1 is not reached from the root');
  });
});

describe('predictions', () => {
  const binary = goldenCases().filter(({ name }) => name.startsWith('binary') || name === 'multiclass');

  it.each(binary)('of $name lie in [0, 1] and do not depend on the rows beside', (test) => {
    const model = goldenModel(test.name);
    const rows = goldenRows(test, model.pandasCategories === null ? null : categoryEncoder(model));
    const walker = createPlainWalker(model);
    const together = predictWith(walker, model, Float64Array.from(rows.flat()));
    expect([...together].every((value) => value >= 0 && value <= 1)).toBe(true);
    fc.assert(
      fc.property(fc.shuffledSubarray([...rows.keys()], { minLength: 1 }), (order) => {
        const shuffled = predictWith(walker, model, Float64Array.from(order.flatMap((row) => rows[row])));
        const outputs = model.treesPerIteration;
        expect([...shuffled]).toEqual(
          order.flatMap((row) => [...together.subarray(row * outputs, (row + 1) * outputs)]),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('take a missing value for 0 where the model knows no missing ones, and only there', () => {
    const row = () => Array.from({ length: 8 }, (_, i) => Math.sin(i + 1));
    const scores = (name: string, value: number) => {
      const model = goldenModel(name);
      const cells = Array.from({ length: 8 }, (_, feature) =>
        Object.assign(row(), { [feature]: value }),
      ).flat();
      return [...createPlainWalker(model).rawScores(Float64Array.from(cells))];
    };
    expect(scores('binary-missing-off', Number.NaN)).toEqual(scores('binary-missing-off', 0));
    expect(scores('binary-missing-zero', Number.NaN)).toEqual(scores('binary-missing-zero', 0));
    expect(scores('binary-missing-nan', Number.NaN)).not.toEqual(scores('binary-missing-nan', 0));
  });
});

describe('categories', () => {
  it('have the codes of the table that the model carries', () => {
    const model = goldenModel('binary-pandas');
    expect(categoryTable(model).shape).toEqual(['arc', 'box', 'cone', 'disc']);
    const encode = categoryEncoder(model);
    const column = model.featureNames.indexOf('shape');
    expect(encode(column, 'cone')).toBe(2);
    expect(encode(column, 'sphere')).toBeNaN();
    expect(() => categoryTable(model, new Set(['shape']))).toThrow('3 columns, but 1 features');
  });
});
