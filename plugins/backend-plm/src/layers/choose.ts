import { join } from 'node:path';
import { type EmbeddingRecipe, ProblemError } from '@kindred/contracts';
import { createBackend } from '../backend.js';
import { readModelFolder } from '../models/folder.js';
import { requireInstalled } from '../models/installed.js';
import { splitModelName } from '../models/model-name.js';
import type { ModelPlace } from '../settings.js';
import {
  compareLayers,
  type CompareOptions,
  layerCandidates,
  type LayerFigures,
  recommended,
} from './compare.js';
import { embedLayers, recipeOfLayers } from './embed-layers.js';
import type { LayerReference } from './reference.js';

export interface LayerChoice {
  figures: LayerFigures[];
  recommended: EmbeddingRecipe;
}
export interface ChoiceRequest extends CompareOptions {
  model: string;
  /** The layers to compare, each list joined; null means each layer alone, and a few joined. */
  candidates: readonly (readonly number[])[] | null;
  progress?: (done: number, total: number) => void;
}

const longestInput = 1022;

/**
 * Compares the layers of an installed model over a reference, in one pass of embedding.
 * @throws ProblemError unknown_model, bad_file, validation_failed for a layer that the model does not have, out_of_resources
 */
export async function chooseLayers(
  place: ModelPlace,
  reference: LayerReference,
  { model, candidates, progress, ...options }: ChoiceRequest,
): Promise<LayerChoice> {
  const { name, task } = splitModelName(model);
  await requireInstalled(place.modelsDir, name);
  const { limits } = await readModelFolder(join(place.modelsDir, name), task);
  const { prefixTokens, suffixTokens } = limits.tokenizer;
  const longest = (limits.maxTokens ?? Number.POSITIVE_INFINITY) - prefixTokens - suffixTokens;
  const recipe = { model_name: model, max_length: Math.min(longestInput, longest) };
  const compared = candidates ?? layerCandidates(limits.layers);
  const layers = [...new Set(compared.flat())].sort((a, b) => a - b);
  const { sequences } = reference;
  const vectors = await embedLayers(createBackend(place), recipe, { sequences, layers }, (done) =>
    progress?.(done, sequences.length),
  );
  const figures = compareLayers(reference, vectors, compared, options);
  return { figures, recommended: recipeOfLayers(recipe, recommended(figures).layers) };
}

/** Parses a list such as `0,1,0+15` into [[0], [1], [0, 15]]. @throws ProblemError validation_failed */
export function parseCandidates(text: string): number[][] {
  const candidates = text.split(',').map((part) => part.trim().split('+').map(Number));
  const isLayer = (layer: number) => Number.isInteger(layer) && layer >= 0;
  if (!candidates.every((layers) => layers.every(isLayer) && new Set(layers).size === layers.length))
    throw new ProblemError(
      'validation_failed',
      `${JSON.stringify(text)} is not a list of layers: write 0,1,0+15 for the last, the one before, and the last joined with number 15`,
    );
  return candidates;
}
