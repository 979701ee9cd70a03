import type { Aspect } from '../vocabulary/index.js';
import {
  columnsIn,
  type FeatureFlag,
  flagsOf,
  predictionColumn,
  type PredictionColumn,
  type StorageType,
} from '../prediction/index.js';

/** The type of a feature: `boolean` counts as 0 and 1 where a number is needed; `category` is text. */
export type FeatureType = 'real' | 'integer' | 'boolean' | 'category';

export interface FeatureColumn {
  name: string;
  type: FeatureType;
  /** The unit of the value, with its range if it is bounded; null for categories. */
  unit: string | null;
  meaning: string;
  /** The flags without which the column is null; a column with an empty list is always filled. */
  flags: readonly FeatureFlag[];
  /** Whether the column is null while the service has no file of GO term vectors. */
  needsTermVectors?: true;
}

const typeOf: Record<Exclude<StorageType, 'jsonb'>, FeatureType> = {
  float4: 'real',
  int4: 'integer',
  bool: 'boolean',
  text: 'category',
};

function featureOf(name: string, column: PredictionColumn): FeatureColumn {
  const { unit, meaning, needsTermVectors } = column;
  const type = typeOf[column.storage as Exclude<StorageType, 'jsonb'>];
  return { name, type, unit, meaning, flags: flagsOf(column), ...(needsTermVectors && { needsTermVectors }) };
}

const all = columnsIn('feature').map((name) => featureOf(name, predictionColumn(name)));
const isCategory = ({ type }: FeatureColumn) => type === 'category';

/**
 * The features of a (query, term) pair, in the order of the vector: the numbers, then the categories. Unless `meaning` says otherwise,
 * values describe the nearest source of the term; frequencies and densities are computed over the whole reference.
 */
export const featureColumns: readonly FeatureColumn[] = [
  ...all.filter((column) => !isCategory(column)),
  ...all.filter(isCategory),
];

export const featureNames: readonly string[] = featureColumns.map((column) => column.name);
export const numericFeatures: readonly string[] = featureColumns
  .filter((column) => !isCategory(column))
  .map((column) => column.name);
export const categoryFeatures: readonly string[] = featureColumns
  .filter(isCategory)
  .map((column) => column.name);

const byName = new Map(featureColumns.map((column) => [column.name, column]));
/** Returns the column of a name, or undefined. */
export function featureColumn(name: string): FeatureColumn | undefined {
  return byName.get(name);
}

/** The value of the column `aspect` for the letter of each aspect. */
export const featureAspects = { P: 'bpo', F: 'mfo', C: 'cco' } as const satisfies Record<Aspect, string>;
