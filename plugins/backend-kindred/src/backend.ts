import { type EmbeddingBackend, ProblemError } from '@kindred/contracts';
import { loadNetwork, modelName } from './model.js';
import { checkRecipe } from './recipe.js';
import { NetworkSession } from './session.js';

const dimension = 512;

export function createBackend(nativeKernels: string): EmbeddingBackend {
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
