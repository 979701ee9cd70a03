import type { EmbeddingRecipe } from '@kindred/contracts';
import type { ComputeTask } from './pool.js';

export interface EmbedInput {
  recipe: EmbeddingRecipe;
  sequences: string[];
}
export interface EmbedOutput {
  dimension: number;
  sequenceIndex: Int32Array;
  chunkStart: Int32Array;
  chunkEnd: Int32Array;
  /** float16 bits [rows x dimension] */
  vectors: Uint16Array;
  /** Components that did not fit float16 and were clipped. */
  clipped: number;
}
export const embedTask: ComputeTask<EmbedInput, EmbedOutput> = { module: 'embed', export: 'embed' };
