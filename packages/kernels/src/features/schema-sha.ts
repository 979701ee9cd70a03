import { createHash } from 'node:crypto';
import { featureNames } from './columns.js';

/**
 * Returns the identity of a list of columns: the first 16 hexadecimal digits of the SHA-256 of their names as a JSON array, in order,
 * written as Python's json.dumps writes it (", " between items, non-ASCII characters escaped), because most programs that produce models
 * are written in Python.
 */
export function schemaSha(names: readonly string[]): string {
  const json = `[${names.map(pythonJson).join(', ')}]`;
  return createHash('sha256').update(json).digest('hex').slice(0, 16);
}

function pythonJson(text: string): string {
  return JSON.stringify(text).replace(
    // The pattern matches every non-ASCII UTF-16 unit.
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The digest of the schema of the 56 columns. */
export const featureSchemaSha: string = schemaSha(featureNames);
