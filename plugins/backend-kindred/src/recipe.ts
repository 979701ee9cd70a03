import { type EmbeddingRecipe, type FieldFault, ProblemError } from '@kindred/contracts';

/** The minimum and maximum number of residues that the network sees at once. */
const window = { min: 30, max: 2048 };

/**
 * Rejects recipes that the network cannot follow: it has one layer, and pools by its own learned weights.
 * @throws ProblemError validation_failed with one error per field
 */
export function checkRecipe(recipe: EmbeddingRecipe): void {
  const faults: FieldFault[] = [];
  const refuse = (field: keyof EmbeddingRecipe, message: string, code = 'unsupported'): void => {
    faults.push({ path: `/${field}`, message, code });
  };
  if (recipe.layer_indices.length !== 1 || recipe.layer_indices[0] !== 0)
    refuse('layer_indices', 'the network has one vector: use [0]');
  if (recipe.pooling !== 'mean')
    refuse('pooling', `the network weighs its positions itself, not by ${recipe.pooling}: use mean`);
  if (recipe.normalize_residues)
    refuse('normalize_residues', 'the network normalises its positions: use false');
  if (!isWhole(recipe.max_length, window.min, window.max))
    refuse('max_length', `must be an integer from ${window.min} to ${window.max}`, 'out_of_range');
  if (recipe.use_chunking) {
    if (!isWhole(recipe.chunk_size, window.min))
      refuse('chunk_size', `must be an integer of ${window.min} or more`, 'out_of_range');
    if (!isWhole(recipe.chunk_overlap, 0, recipe.chunk_size - 1))
      refuse('chunk_overlap', 'must be an integer from 0 to chunk_size - 1', 'out_of_range');
  }
  if (faults.length > 0)
    throw new ProblemError('validation_failed', `${recipe.model_name} cannot follow this recipe`, {
      errors: faults,
    });
}

function isWhole(value: number, min: number, max = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
