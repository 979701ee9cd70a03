import { categoryFeatures, numericFeatures } from './columns.js';

/** Feature rows in columns of one length. */
export interface FeatureTable {
  rowCount: number;
  /** The numeric columns by name, all 52 of them: float32, NaN where the value is null; booleans are 0 and 1. */
  numbers: Readonly<Record<string, Float32Array>>;
  /** The categories by name, all 4 of them: text or null. */
  categories: Readonly<Record<string, readonly (string | null)[]>>;
}

/** Makes a table of `rowCount` rows in which everything is null. */
export function emptyFeatureTable(rowCount: number): FeatureTable & {
  numbers: Record<string, Float32Array>;
  categories: Record<string, (string | null)[]>;
} {
  return {
    rowCount,
    numbers: Object.fromEntries(
      numericFeatures.map((name) => [name, new Float32Array(rowCount).fill(Number.NaN)]),
    ),
    categories: Object.fromEntries(
      categoryFeatures.map((name) => [name, new Array<string | null>(rowCount).fill(null)]),
    ),
  };
}
