import { type EmbeddingRecipe, type FieldFault, ProblemError } from '@kindred/contracts';
import type { ResidueTokenizer } from '../tokens/tokenizer.js';

export interface ModelLimits {
  /** The number of layers of the model; the state before the first layer is state 0. */
  layers: number;
  /** The maximum number of tokens, with special ones; null means no limit. */
  maxTokens: number | null;
  tokenizer: Pick<ResidueTokenizer, 'prefixTokens' | 'suffixTokens' | 'hasClassToken'>;
}

const maxInputLength = 16_384;

/**
 * Checks that a model can follow a recipe.
 * @returns the states to compute, in the recipe's order: index 0 of a recipe is the last state
 * @throws ProblemError validation_failed with one error for each field
 */
export function statesOf(recipe: EmbeddingRecipe, limits: ModelLimits): number[] {
  const faults: FieldFault[] = [...layerFaults(recipe, limits), ...lengthFaults(recipe, limits)];
  const refuse = (field: keyof EmbeddingRecipe, message: string): void => {
    faults.push({ path: `/${field}`, message, code: 'unsupported' });
  };
  if (recipe.pooling === 'cls' && !limits.tokenizer.hasClassToken)
    refuse('pooling', 'this model has no token for the whole sequence: use mean');
  if (recipe.pooling === 'cls' && recipe.normalize_residues)
    refuse('normalize_residues', 'cls takes no residues: use false');
  if (faults.length > 0)
    throw new ProblemError('validation_failed', `${recipe.model_name} cannot follow this recipe`, {
      errors: faults,
    });
  const layers = [...recipe.layer_indices];
  // The smallest index is the layer nearest to the output.
  const used = recipe.layer_agg === 'last' ? [Math.min(...layers)] : layers;
  return used.map((index) => limits.layers - index);
}

function layerFaults({ layer_indices }: EmbeddingRecipe, { layers }: ModelLimits): FieldFault[] {
  const fault = (message: string): FieldFault[] => [
    { path: '/layer_indices', message, code: 'out_of_range' },
  ];
  if (layer_indices.length === 0) return fault('names no layer: use [0] for the last');
  if (new Set(layer_indices).size < layer_indices.length) return fault('names a layer twice');
  const outside = layer_indices.find((index) => !Number.isInteger(index) || index < 0 || index > layers);
  return outside === undefined
    ? []
    : fault(`${outside} is not a layer: 0 is the last, ${layers} the embeddings before the first`);
}

function lengthFaults(recipe: EmbeddingRecipe, limits: ModelLimits): FieldFault[] {
  const { max_length, use_chunking, chunk_size, chunk_overlap } = recipe;
  const { prefixTokens, suffixTokens } = limits.tokenizer;
  const longest = (limits.maxTokens ?? maxInputLength) - prefixTokens - suffixTokens;
  const faults: FieldFault[] = [];
  const refuse = (path: keyof EmbeddingRecipe, message: string) =>
    faults.push({ path: `/${path}`, message, code: 'out_of_range' });
  if (!isWhole(max_length, 1, longest))
    refuse(
      'max_length',
      `must be an integer from 1 to ${longest}, the residues that the model can see at once`,
    );
  if (use_chunking) {
    if (!isWhole(chunk_size, 1, Math.min(max_length, longest)))
      refuse('chunk_size', 'must be an integer from 1 to max_length');
    if (!isWhole(chunk_overlap, 0, chunk_size - 1))
      refuse('chunk_overlap', 'must be an integer from 0 to chunk_size - 1');
  }
  return faults;
}

const isWhole = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most;
