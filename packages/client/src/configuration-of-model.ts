import { ProblemError } from '@kindred/contracts';
import type { Client } from './client.js';

/**
 * Finds the id of the embedding configuration of a model: an existing one (also named by its id), or the
 * default one of an installed backend.
 * @throws ProblemError unknown_model with the reason of each backend
 */
export async function configurationOfModel(client: Client, model: string): Promise<string> {
  const known = (await client.get('/embeddings/configs', { query: { limit: 500 } })).find(
    (config) => config.id === model || config.model_name === model,
  );
  if (known !== undefined) return known.id;
  const refusals: string[] = [];
  for (const { name, state } of await client.get('/backends')) {
    if (state !== 'available') continue;
    try {
      return (await client.post('/embeddings/configs', { body: { model_name: model, model_backend: name } }))
        .id;
    } catch (error) {
      refusals.push(`${name}: ${(error as Error).message}`);
    }
  }
  throw new ProblemError(
    'unknown_model',
    `No installed backend has the model ${model}. ${refusals.join(' ')}`,
  );
}
