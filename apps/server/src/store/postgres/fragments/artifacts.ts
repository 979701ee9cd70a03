import { type RawBuilder, sql } from 'kysely';
import { uriOfKey } from '../../../ground/artifacts/keys.js';

/**
 * Makes the condition that a column names the object of a key, by its URI or by a whole address (rows of
 * 0.3.0 and earlier).
 */
export function namesArtifact(column: string, key: string): RawBuilder<boolean> {
  const end = `/${key}`;
  return sql<boolean>`(${sql.ref(column)} = ${uriOfKey(key)} or right(${sql.ref(column)}, ${end.length}) = ${end})`;
}
