import type { FeatureTable } from '../features/index.js';
import type { CategoryEncoder } from './categories.js';
import type { TreeEnsemble } from './model.js';

/**
 * Builds the input matrix of a model from columns by name: the model's features in its order, categories as codes, NaN for
 * null.
 *
 * @param range rows [start, endExclusive) of the table
 * @returns row-major float64 [rows x features of the model]
 * @throws RangeError for a feature that is not in the table
 */
export function featureMatrix(
  model: TreeEnsemble,
  encode: CategoryEncoder,
  table: FeatureTable,
  range: { start: number; endExclusive: number },
): Float64Array {
  const width = model.featureNames.length;
  const rows = range.endExclusive - range.start;
  const matrix = new Float64Array(rows * width);
  model.featureNames.forEach((name, column) => {
    const numbers = table.numbers[name];
    if (numbers !== undefined) {
      for (let row = 0; row < rows; row++) matrix[row * width + column] = numbers[range.start + row];
      return;
    }
    const texts = table.categories[name];
    if (texts === undefined) throw new RangeError(`the feature table has no column ${JSON.stringify(name)}`);
    for (let row = 0; row < rows; row++) {
      const text = texts[range.start + row];
      matrix[row * width + column] = text === null ? Number.NaN : encode(column, text);
    }
  });
  return matrix;
}
