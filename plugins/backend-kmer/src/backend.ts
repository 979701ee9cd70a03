import { type BackendModel, type EmbeddingBackend, ProblemError } from '@kindred/contracts';
import { planFeatures } from './features.js';
import { checkRecipe } from './recipe.js';
import { KmerSession } from './session.js';
import { substitutionComponents } from './substitution.js';
import { WasmSpectrum } from './wasm-spectrum.js';

const dimensions = [512, 1024, 2048] as const;

const models: readonly BackendModel[] = dimensions.map((dimension) => ({
  model_name: `kmer-${dimension}`,
  dimension,
  description: `The ${dimension} strongest substitution features of residues and gapped residue pairs; no weights`,
}));

export const backend: EmbeddingBackend = {
  sequencesPerBatch: 1024,
  models: async () => models,
  open: async (recipe) => {
    const model = models.find(({ model_name }) => model_name === recipe.model_name);
    if (!model)
      throw new ProblemError(
        'unknown_model',
        `backend kmer has no model ${recipe.model_name}; it has ${models.map((m) => m.model_name).join(', ')}`,
      );
    checkRecipe(recipe);
    const components = substitutionComponents();
    const spectrum = new WasmSpectrum(components, planFeatures(components, model.dimension));
    return new KmerSession(model.dimension, spectrum, recipe);
  },
};
