import { createHash } from 'node:crypto';
import { pythonJson, type PythonValue } from './python-json.js';

/** The keys of the configuration that a re-ranker was trained with. All are required, and other keys are rejected. */
export const axisKeys = [
  'plm',
  'k',
  'reranker_spec_id',
  'feature_schema_sha',
  'eval_set_name',
  'eval_set_manifest_sha',
  'propagation',
  'ensemble_spec',
] as const;
export type AxisKey = (typeof axisKeys)[number];
export type AxisTuple = Readonly<Record<AxisKey, PythonValue>>;

/**
 * Returns the identity of a training configuration: the first 12 hexadecimal digits of the SHA-256 of the tuple as sorted JSON. The order
 * of the keys does not matter. null differs from a missing key, so every key is required.
 * @throws RangeError naming a key that is missing or unknown
 */
export function axisTupleId(tuple: AxisTuple): string {
  return createHash('sha256').update(axisTupleText(tuple)).digest('hex').slice(0, 12);
}

/** Returns the text that is hashed. @throws RangeError naming a key that is missing or unknown */
export function axisTupleText(tuple: AxisTuple): string {
  const missing = axisKeys.filter((key) => !Object.hasOwn(tuple, key) || tuple[key] === undefined);
  const unknown = Object.keys(tuple).filter((key) => !(axisKeys as readonly string[]).includes(key));
  if (missing.length > 0) throw new RangeError(`the axis tuple lacks ${missing.join(', ')}`);
  if (unknown.length > 0) throw new RangeError(`the axis tuple has no ${unknown.join(', ')}`);
  return pythonJson(tuple);
}
