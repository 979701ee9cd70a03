import { type EmbeddingRecipe, type FieldFault, ProblemError } from '@kindred/contracts';

/**
 * Rejects recipes that a k-mer spectrum cannot follow: it has one layer, no token vectors and one pooling method.
 * @throws ProblemError validation_failed with one error for each field
 */
export function checkRecipe(recipe: EmbeddingRecipe): void {
  const faults: FieldFault[] = [];
  const refuse = (field: keyof EmbeddingRecipe, message: string, code = 'unsupported'): void => {
    faults.push({ path: `/${field}`, message, code });
  };
  if (recipe.layer_indices.length !== 1 || recipe.layer_indices[0] !== 0)
    refuse('layer_indices', 'a k-mer model has one layer: use [0]');
  if (recipe.pooling !== 'mean')
    refuse('pooling', `a k-mer model has no residue vectors to pool by ${recipe.pooling}: use mean`);
  if (recipe.normalize_residues)
    refuse('normalize_residues', 'a k-mer model has no residue vectors to normalise: use false');
  if (!isWhole(recipe.max_length, 2)) refuse('max_length', 'must be an integer of 2 or more', 'out_of_range');
  if (recipe.use_chunking) {
    if (!isWhole(recipe.chunk_size, 1))
      refuse('chunk_size', 'must be an integer of 1 or more', 'out_of_range');
    if (!isWhole(recipe.chunk_overlap, 0) || recipe.chunk_overlap >= recipe.chunk_size)
      refuse('chunk_overlap', 'must be an integer from 0 to chunk_size - 1', 'out_of_range');
  }
  if (faults.length > 0)
    throw new ProblemError('validation_failed', `${recipe.model_name} cannot follow this recipe`, {
      errors: faults,
    });
}

function isWhole(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least;
}
