import type { EmbeddingRecipe } from '@kindred/contracts';

/** Makes a recipe for the golden models, which see 62 residues at once. */
export const goldenRecipe = (changes: Partial<EmbeddingRecipe> = {}): EmbeddingRecipe => ({
  model_name: 'esm2',
  model_backend: 'plm',
  layer_indices: [0],
  layer_agg: 'mean',
  pooling: 'mean',
  normalize_residues: false,
  normalize: false,
  max_length: 50,
  use_chunking: false,
  chunk_size: 20,
  chunk_overlap: 5,
  ...changes,
});
