import { absent, ProblemError } from '@kindred/contracts';
import { deleteUnsavedSets } from '../store/predictions/prediction-sets.repository.js';
import {
  deleteEmbeddingConfig,
  findEmbeddingConfig,
  predictionSetsOfConfig,
} from '../store/embeddings/embedding-configs.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';

/** Deletes a configuration that no prediction set uses, with its vectors. @throws ProblemError not_found, in_use */
export function removeEmbeddingConfig(db: Database, id: string): ReturnType<typeof deleteEmbeddingConfig> {
  return inTransaction(db, async (trx) => {
    const row = await findEmbeddingConfig(trx, id);
    if (row === undefined) throw absent('embedding configuration', id);
    await deleteUnsavedSets(trx, 'embedding_config_id', id);
    const users = await predictionSetsOfConfig(trx, id);
    if (users.length > 0) {
      throw new ProblemError(
        'in_use',
        `Prediction sets use this configuration: ${users.join(', ')}. Delete them first.`,
      );
    }
    return deleteEmbeddingConfig(trx, row);
  });
}
