import type { configReply } from '@kindred/contracts/resources/embedding-configs';
import type { z } from 'zod';
import { recipeOf } from '../../../predict/embeddings/compute-embeddings-batch.js';
import type { CountedConfigRow } from '../../../store/embeddings/embedding-configs.repository.js';

export function presentConfig(row: CountedConfigRow): z.infer<typeof configReply> {
  return {
    id: row.id,
    ...recipeOf(row),
    dimension: row.dimension,
    display_name: row.display_name,
    family: row.family,
    param_count: row.param_count,
    description: row.description,
    created_at: row.created_at,
    embedding_count: row.embedding_count,
  };
}
