import { type BackendPlugin, type EmbeddingBackend, ProblemError } from '@kindred/contracts';
import { z } from 'zod';
import { commands } from './commands.js';
import { loadNetwork, modelName } from './model.js';
import { checkRecipe } from './recipe.js';
import { NetworkSession } from './session.js';
import { settings } from './settings.js';

const dimension = 512;

function createBackend(nativeKernels: string): EmbeddingBackend {
  return {
    models: async () => [
      {
        model_name: modelName,
        dimension,
        description:
          'A network of 12 million weights that learned GO terms from the sequences of Swiss-Prot 2014 and GOA 2019; its vectors place proteins of one function near each other',
      },
    ],
    open: async (recipe) => {
      check(recipe);
      return new NetworkSession(loadNetwork(nativeKernels), recipe);
    },
    inspect: async (recipe) => {
      check(recipe);
      return { dimension };
    },
  };
}

function check(recipe: Parameters<EmbeddingBackend['open']>[0]): void {
  if (recipe.model_name !== modelName)
    throw new ProblemError(
      'unknown_model',
      `backend kindred has no model ${recipe.model_name}; it has ${modelName}`,
    );
  checkRecipe(recipe);
}

export const plugin: BackendPlugin<typeof settings> = {
  kind: 'backend',
  name: 'kindred',
  version: '0.1.0',
  description: 'Embeddings of the shipped sequence network, without downloads',
  citations: ['UniProt2023', 'Ashburner2000'],
  parameters: z.strictObject({}),
  settings,
  commands,
  load: async ({ settings: given }) => createBackend(given.native_kernels),
};
