import { createHash } from 'node:crypto';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
} from '../../store/embeddings/embedding-configs.repository.js';
import type { Queryable } from '../../store/postgres/db.js';
import { referenceProteinsSha256 } from '../../store/references/reference-proteins.repository.js';
import type { ReferencePart } from '../../store/references/references.repository.js';
import { recipeOf } from '../embeddings/compute-embeddings-batch.js';

/**
 * Identity of a reference (SHA-256, hexadecimal): the ontology file, its proteins with their rows, and the recipe of each
 * configuration of vectors, in order, and the files of vectors that were imported. The same on every machine.
 */
export async function referenceContentSha256(
  db: Queryable,
  content: {
    oboSha256: string;
    referenceNumber: number;
    setNumber: number;
    configIds: readonly string[];
    parts: readonly ReferencePart[];
  },
): Promise<string> {
  const { oboSha256, referenceNumber, setNumber, configIds, parts } = content;
  const imported = parts.flatMap(({ kind, sha256 }) => (kind === 'vectors' ? [String(sha256)] : [])).sort();
  const proteins = await referenceProteinsSha256(db, referenceNumber, setNumber);
  const recipes: string[] = [];
  for (const id of configIds) recipes.push(recipeText(await findEmbeddingConfig(db, id)));
  return createHash('sha256')
    .update([oboSha256, proteins, ...recipes, ...imported].join('\n'))
    .digest('hex');
}

/** What the vectors depend on; ids, counts and descriptions are of this database alone. */
function recipeText(config: EmbeddingConfigRow | undefined): string {
  if (config === undefined) return '';
  const recipe = { ...recipeOf(config), dimension: config.dimension };
  return JSON.stringify(Object.entries(recipe).sort(([a], [b]) => (a < b ? -1 : 1)));
}
