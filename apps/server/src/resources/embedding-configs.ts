import { absent } from '@kindred/contracts';
import { refuseInUse } from '../store/maintenance/dependents.repository.js';
import { deleteUnsavedSets } from '../store/predictions/prediction-sets.repository.js';
import {
  type CountedConfigRow,
  deleteEmbeddingConfig,
  findEqualConfig,
  insertEmbeddingConfig,
  lockEmbeddingConfig,
  type NewEmbeddingConfig,
} from '../store/embeddings/embedding-configs.repository.js';
import { withAdvisoryLock } from '../store/postgres/advisory-lock.js';
import { type Database, inTransaction } from '../store/postgres/db.js';

/** Adds a configuration, or gives the one of the same recipe, whose vectors it can use. */
export function addEmbeddingConfig(
  db: Database,
  config: NewEmbeddingConfig,
): Promise<{ row: CountedConfigRow; isNew: boolean }> {
  return withAdvisoryLock(db, 'embedding_config:add', async () => {
    const equal = await findEqualConfig(db, config);
    if (equal !== undefined) return { row: equal, isNew: false };
    const row = await insertEmbeddingConfig(db, config);
    return { row: { ...row, embedding_count: 0 }, isNew: true };
  });
}

/** Deletes a configuration that nothing uses, with its vectors. @throws ProblemError not_found, in_use */
export function removeEmbeddingConfig(db: Database, id: string): ReturnType<typeof deleteEmbeddingConfig> {
  return inTransaction(db, async (trx) => {
    const row = await lockEmbeddingConfig(trx, id);
    if (row === undefined) throw absent('embedding configuration', id);
    await refuseInUse(trx, { table: 'embedding_config', id }, { what: `Embedding configuration ${id}` });
    await deleteUnsavedSets(trx, 'embedding_config_id', id);
    return deleteEmbeddingConfig(trx, row);
  });
}
