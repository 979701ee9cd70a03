import type { EmbeddingBackend, EmbeddingRecipe } from '@kindred/contracts';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import type { LayerVectors } from './compare.js';

const sequencesPerCall = 64;

/** The part of a configuration that the choice of layers leaves open. */
export type LayerRecipe = Pick<EmbeddingRecipe, 'model_name' | 'max_length'>;

/** Writes a configuration of these layers that can be sent to POST /v1/embeddings/configs. */
export function recipeOfLayers(
  { model_name, max_length }: LayerRecipe,
  layers: readonly number[],
): EmbeddingRecipe {
  return completeRecipe({
    model_name,
    model_backend: 'plm',
    layer_indices: [...layers],
    layer_agg: layers.length > 1 ? 'concat' : 'mean',
    max_length,
  });
}

/**
 * Computes the vectors of several layers in one pass, because the mean of joined layers is the joined mean of each.
 * @param progress function that is called with the number of finished sequences
 * @returns for each layer float32 [sequences x hidden], not normalised
 */
export async function embedLayers(
  backend: EmbeddingBackend,
  recipe: LayerRecipe,
  { sequences, layers }: { sequences: readonly string[]; layers: readonly number[] },
  progress: (done: number) => void = () => {},
): Promise<LayerVectors> {
  const session = await backend.open({ ...recipeOfLayers(recipe, layers), normalize: false });
  try {
    const hidden = session.dimension / layers.length;
    const vectors = new Map(layers.map((layer) => [layer, new Float32Array(sequences.length * hidden)]));
    // The indices are sorted by length, because inputs of one length share a run.
    const order = Int32Array.from(sequences, (_, i) => i).sort(
      (a, b) => sequences[a].length - sequences[b].length,
    );
    for (let first = 0; first < order.length; first += sequencesPerCall) {
      const part = order.subarray(first, first + sequencesPerCall);
      const { vectors: rows } = await session.embed(Array.from(part, (i) => sequences[i]));
      for (const [row, sequence] of part.entries())
        for (const [place, layer] of layers.entries()) {
          const at = row * session.dimension + place * hidden;
          vectors.get(layer)?.set(rows.subarray(at, at + hidden), sequence * hidden);
        }
      progress(first + part.length);
    }
    return vectors;
  } finally {
    await session.close();
  }
}
