import {
  type BackendModel,
  type EmbeddingBackend,
  type EmbeddingRecipe,
  ProblemError,
} from '@kindred/contracts';
import { InferenceClient, type ModelMetadata, type ServerSettings } from './client.js';
import { InferenceSession } from './session.js';
import type { TensorHead } from './tensors.js';

const numbers = new Set(['FP16', 'FP32', 'FP64']);
const described = 200;

/** Finds the input that takes sequences and the output that has their vectors, or throws an error that says why the model has none. */
function tensorsOf({ name, inputs, outputs }: ModelMetadata): { input: TensorHead; output: TensorHead } {
  const input = inputs.find(({ datatype }) => datatype === 'BYTES');
  const candidates = outputs.filter(
    ({ datatype, shape }) => numbers.has(datatype) && Array.isArray(shape) && shape.length === 2,
  );
  const output = candidates.find((tensor) => tensor.name === 'embeddings') ?? candidates[0];
  if (input !== undefined && output !== undefined && inputs.length === 1) return { input, output };
  throw new ProblemError(
    'validation_failed',
    `Model ${name} is not an embedder of sequences: it needs one input of type BYTES (sequences) and an output of shape [-1, dimension] (embeddings).`,
  );
}

/** Rejects recipes with other layers or another pooling: the server pools, and would ignore them. */
function checkRecipe(recipe: EmbeddingRecipe): void {
  const { layer_indices, pooling, normalize_residues, use_chunking, chunk_size, chunk_overlap, max_length } =
    recipe;
  const faults: { path: string; message: string; code: string }[] = [];
  const refuse = (field: keyof EmbeddingRecipe, message: string, code = 'unsupported') =>
    faults.push({ path: `/${field}`, message, code });
  if (layer_indices.length !== 1 || layer_indices[0] !== 0)
    refuse('layer_indices', 'the inference server chooses the layer: use [0]');
  if (pooling !== 'mean') refuse('pooling', 'the inference server pools: use mean');
  if (normalize_residues) refuse('normalize_residues', 'the inference server pools: use false');
  if (use_chunking && chunk_size > max_length)
    refuse('chunk_size', 'must be an integer from 1 to max_length', 'out_of_range');
  if (use_chunking && chunk_overlap >= chunk_size)
    refuse('chunk_overlap', 'must be an integer from 0 to chunk_size - 1', 'out_of_range');
  if (faults.length > 0)
    throw new ProblemError('validation_failed', `${recipe.model_name} cannot follow this recipe`, {
      errors: faults,
    });
}

export function inferenceBackend(settings: ServerSettings): EmbeddingBackend {
  const client = new InferenceClient(settings);
  return {
    async models() {
      const found: BackendModel[] = [];
      for (const name of (await client.models()).slice(0, described)) {
        const dimension = await client
          .metadata(name)
          .then((metadata) => tensorsOf(metadata).output.shape.at(-1) ?? -1)
          .catch((error) => {
            // The result is -1, because the server may have models of other kinds, too.
            if (error instanceof ProblemError && error.code !== 'fetch_failed') return -1;
            throw error;
          });
        if (dimension > 0)
          found.push({ model_name: name, dimension, description: 'Model of the inference server' });
      }
      return found;
    },
    async open(recipe) {
      checkRecipe(recipe);
      const { model_name: model } = recipe;
      const tensors = tensorsOf(await client.metadata(model));
      return InferenceSession.open(client, { model, ...tensors }, recipe);
    },
  };
}
