// This file is a whole embedding backend: a protein is described by the share of each amino acid. The backend is useless, but short.
import { ProblemError, z } from '@kindred/contracts';

const letters = 'ACDEFGHIKLMNPQRSTVWY';
const model = {
  model_name: 'composition-20',
  dimension: letters.length,
  description: 'Share of each amino acid',
};

const settings = z.strictObject({
  pseudocount: z.number().min(0, 'must be 0 or more').default(0).meta({
    description: 'Added to the count of each amino acid, so that short proteins have no zeros',
    example: '0.5',
  }),
});

const backend = (pseudocount) => ({
  models: async () => [model],
  async open(recipe) {
    if (recipe.model_name !== model.model_name)
      throw new ProblemError('unknown_model', `composition has one model, ${model.model_name}.`);
    if (recipe.use_chunking)
      throw new ProblemError('validation_failed', 'composition has no chunks: set use_chunking to false.');
    return {
      dimension: model.dimension,
      async embed(sequences, signal) {
        signal?.throwIfAborted();
        return embed(sequences, { normalize: recipe.normalize, pseudocount });
      },
      close: async () => {},
    };
  },
});

function embed(sequences, { normalize, pseudocount }) {
  const vectors = new Float32Array(sequences.length * letters.length);
  sequences.forEach((sequence, row) => {
    const vector = vectors.subarray(row * letters.length, (row + 1) * letters.length);
    const total = sequence.length + letters.length * pseudocount;
    vector.fill(pseudocount / total);
    for (const residue of sequence) {
      const column = letters.indexOf(residue);
      if (column >= 0) vector[column] += 1 / total;
    }
    const length = Math.hypot(...vector);
    if (normalize && length > 0) vector.set(vector.map((value) => value / length));
  });
  return {
    sequenceIndex: Int32Array.from(sequences.keys()),
    chunkStart: new Int32Array(sequences.length),
    chunkEnd: new Int32Array(sequences.length).fill(-1),
    vectors,
  };
}

export const plugin = {
  kind: 'backend',
  name: 'composition',
  version: '1.0.0',
  description: 'Amino acid composition: an example',
  citations: [],
  parameters: z.strictObject({}),
  settings,
  load: async (context) => backend(context.settings.pseudocount),
};
