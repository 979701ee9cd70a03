import { type EmbeddingRecipe, ProblemError } from '@kindred/contracts';
import { z } from 'zod';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
} from '../../store/embeddings/embedding-configs.repository.js';
import { loadSequences, storeEmbeddings } from '../../store/embeddings/embeddings.repository.js';
import { addToJobResult } from '../../store/jobs/job-batches.repository.js';
import type { BatchOperation } from '../../work/operation/operation.js';
import { embedInSlices } from './embed-in-slices.js';

const payload = z.strictObject({
  embedding_config_id: z.uuid(),
  sequence_ids: z.array(z.int()).min(1),
  skip_existing: z.boolean(),
});

const productHeader = z.object({
  config_number: z.int(),
  dimension: z.int(),
  replace: z.boolean(),
  clipped: z.int(),
  measured: z.record(z.string(), z.number()),
});

/** The write queue gets a frame with these blocks. */
type VectorBlocks = {
  sequenceIds: Float64Array;
  chunkStart: Int32Array;
  chunkEnd: Int32Array;
  /** The vectors are float16 bits. */
  vectors: Uint16Array;
};

/** The operation turns the sequences of one batch into float16 vectors. */
export const computeEmbeddingsBatch: BatchOperation<z.infer<typeof payload>> = {
  name: 'compute_embeddings_batch',
  queue: 'svc.embeddings.batch',
  writeQueue: 'svc.embeddings.write',
  writeName: 'store_embeddings',
  payload,

  async compute(batch, context) {
    const config = await findEmbeddingConfig(context.db, batch.embedding_config_id);
    if (config === undefined) {
      throw new ProblemError(
        'not_found',
        `Embedding configuration ${batch.embedding_config_id} was deleted while its vectors were computed.`,
      );
    }
    const sequences = await loadSequences(
      context.db,
      batch.sequence_ids,
      batch.skip_existing ? config.number : null,
    );
    const embedded = await embedInSlices(
      recipeOf(config),
      sequences.map((row) => row.sequence),
      context,
    );
    const header: z.infer<typeof productHeader> = {
      config_number: config.number,
      dimension: embedded.dimension,
      replace: !batch.skip_existing,
      clipped: embedded.clipped,
      measured: embedded.measured,
    };
    const sequenceIds = Float64Array.from(embedded.sequenceIndex, (index) => sequences[index].id);
    const { chunkStart, chunkEnd, vectors } = embedded;
    return { header, blocks: { sequenceIds, chunkStart, chunkEnd, vectors } satisfies VectorBlocks };
  },

  async write(trx, product, { jobId }) {
    const { config_number, dimension, replace, clipped, measured } = productHeader.parse(product.header);
    const rows = { dimension, ...(product.blocks as VectorBlocks) };
    const { stored, skipped } = await storeEmbeddings(trx, config_number, rows, replace);
    if (Object.keys(measured).length > 0) await addToJobResult(trx, jobId, measured);
    return {
      embeddings_stored: stored,
      sequences_skipped: skipped,
      ...(clipped > 0 ? { components_clipped: clipped } : {}),
    };
  },
};

/** Gives the fields of a configuration row that a backend needs. */
export function recipeOf(config: EmbeddingConfigRow): EmbeddingRecipe {
  return {
    model_name: config.model_name,
    model_backend: config.model_backend,
    layer_indices: config.layer_indices,
    layer_agg: config.layer_agg as EmbeddingRecipe['layer_agg'],
    pooling: config.pooling as EmbeddingRecipe['pooling'],
    normalize_residues: config.normalize_residues,
    normalize: config.normalize,
    max_length: config.max_length,
    use_chunking: config.use_chunking,
    chunk_size: config.chunk_size,
    chunk_overlap: config.chunk_overlap,
  };
}
