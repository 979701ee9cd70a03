import type { TreeEnsemble } from './model.js';

/** Returns the code of a category value for a feature column; NaN for a value that was not in the training data. */
export type CategoryEncoder = (column: number, value: string | number | boolean) => number;

/** The values of each category by feature name, in the order of their codes. */
export type CategoryTable = Record<string, readonly (string | number | boolean)[]>;

/**
 * Reads the values of each categorical feature from the `pandas_categorical` line: LightGBM lists the category columns of the training
 * table in their order, which is the order of the features.
 *
 * @param categorical names of the categorical features, if known; by default those that the model treats as categorical
 * @throws RangeError if the number of lists does not match the model
 */
export function categoryTable(model: TreeEnsemble, categorical?: ReadonlySet<string>): CategoryTable {
  const lists = model.pandasCategories ?? [];
  const isCategory = (name: string, index: number) =>
    categorical === undefined ? model.featureKinds[index] === 'categorical' : categorical.has(name);
  const names = model.featureNames.filter(isCategory);
  if (names.length !== lists.length) {
    throw new RangeError(
      `pandas_categorical lists the values of ${lists.length} columns, but ${names.length} features are categories (${names.join(', ') || 'none'})`,
    );
  }
  return Object.fromEntries(names.map((name, index) => [name, lists[index]]));
}

/**
 * Encodes values of a model's feature columns: numbers stay unchanged, and categories are encoded by the table (by default the model's
 * own).
 */
export function categoryEncoder(model: TreeEnsemble, table = categoryTable(model)): CategoryEncoder {
  const codes = model.featureNames.map((name) => {
    const values = Object.hasOwn(table, name) ? table[name] : undefined;
    return values && new Map(values.map((value, code) => [String(value), code]));
  });
  return (column, value) => {
    const known = codes[column];
    if (known === undefined) return typeof value === 'number' ? value : Number.NaN;
    return known.get(String(value)) ?? Number.NaN;
  };
}
