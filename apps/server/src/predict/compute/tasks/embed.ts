import { type EmbeddingRecipe, type EmbeddingSession, ProblemError } from '@kindred/contracts';
import { toFloat16 } from '@kindred/kernels/arrays';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { threadPlugins } from '../thread-plugins.js';

export interface EmbedInput {
  recipe: EmbeddingRecipe;
  sequences: string[];
}
export interface EmbedOutput {
  dimension: number;
  sequenceIndex: Int32Array;
  chunkStart: Int32Array;
  chunkEnd: Int32Array;
  /** The vectors as float16 bits: [rows x dimension] */
  vectors: Uint16Array;
  /** The number of components that did not fit float16 and were clipped. */
  clipped: number;
  /** True if the thread had the model already. */
  modelKept: boolean;
  /** The timings that the backend measured of its model. */
  measured: Record<string, number>;
}

/** A model stays loaded in its thread. Only one is kept, because large ones fill the memory. */
let open: { key: string; session: EmbeddingSession } | null = null;

async function embed(input: EmbedInput, control: TaskControl): Promise<EmbedOutput> {
  const key = JSON.stringify(input.recipe);
  const modelKept = open?.key === key;
  if (!modelKept) {
    await open?.session.close();
    open = null;
    const backend = await threadPlugins.backend(input.recipe.model_backend);
    open = { key, session: await backend.open(input.recipe) };
  }
  const { session } = open as { session: EmbeddingSession };
  const abort = new AbortController();
  const watch = setInterval(() => control.aborted() && abort.abort(), 200);
  try {
    const { sequenceIndex, chunkStart, chunkEnd, vectors, measured } = await session.embed(
      input.sequences,
      abort.signal,
    );
    const { half, clamped, notANumber } = toFloat16(vectors);
    if (notANumber > 0) {
      throw new ProblemError(
        'internal_error',
        `The model ${input.recipe.model_name} gave ${notANumber} components that are not numbers; nothing was stored.`,
      );
    }
    return {
      dimension: session.dimension,
      sequenceIndex,
      chunkStart,
      chunkEnd,
      vectors: half,
      clipped: clamped,
      modelKept,
      measured: measured ?? {},
    };
  } finally {
    clearInterval(watch);
  }
}

export const embedTask = task(import.meta.url, embed, { keepsMuch: true });
