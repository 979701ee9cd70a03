import type { EmbeddingRecipe } from '@kindred/contracts';
import type { configReply } from '@kindred/contracts/resources/embedding-configs';
import type { z } from 'zod';
import type { CountedConfigRow } from '../../../store/embeddings/embedding-configs.repository.js';

export function presentConfig(row: CountedConfigRow): z.infer<typeof configReply> {
  return {
    id: row.id,
    model_name: row.model_name,
    model_backend: row.model_backend,
    layer_indices: row.layer_indices,
    layer_agg: row.layer_agg as EmbeddingRecipe['layer_agg'],
    pooling: row.pooling as EmbeddingRecipe['pooling'],
    normalize_residues: row.normalize_residues,
    normalize: row.normalize,
    max_length: row.max_length,
    use_chunking: row.use_chunking,
    chunk_size: row.chunk_size,
    chunk_overlap: row.chunk_overlap,
    dimension: row.dimension,
    display_name: row.display_name,
    family: row.family,
    param_count: row.param_count,
    description: row.description,
    created_at: row.created_at,
    embedding_count: row.embedding_count,
  };
}
