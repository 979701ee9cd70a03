import { categoryFeatures, numericFeatures } from './columns.js';

/** Feature rows in columns of one length. */
export interface FeatureTable {
  rowCount: number;
  /** Numeric columns by name: float32, NaN where the value is null; booleans are 0 and 1. Contains all 52 numeric columns. */
  numbers: Readonly<Record<string, Float32Array>>;
  /** Categories by name: text or null. Contains all 4 categories. */
  categories: Readonly<Record<string, readonly (string | null)[]>>;
}

/** A table of `rowCount` rows in which everything is null. */
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
