import {
  type BackendPlugin,
  type EmbeddingRecipe,
  type EmbeddingSession,
  ProblemError,
} from '@kindred/contracts';
import { toFloat16 } from '@kindred/kernels/arrays';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { defaultLimitSeconds } from '../plugin-limit.js';
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
  /** The vectors are float16 bits: [rows x dimension] */
  vectors: Uint16Array;
  /** This number of components did not fit float16, and was clipped. */
  clipped: number;
  /** The flag is true if the thread had the model already. */
  modelKept: boolean;
  /** The backend measured these timings of its model. */
  measured: Record<string, number>;
}

/** A model stays loaded in its thread. Only one is kept, because large ones fill the memory. */
let open: { key: string; by: BackendPlugin; session: EmbeddingSession } | null = null;

async function embed(input: EmbedInput, control: TaskControl): Promise<EmbedOutput> {
  // The plugin of an open model is kept, because a search among the installed packages takes longer than a small slice of sequences.
  const by =
    open?.key === keyOf(input) ? open.by : await threadPlugins.backendPlugin(input.recipe.model_backend);
  const seconds = by.limitSeconds ?? defaultLimitSeconds;
  const fault = tooSlow(input, `${by.name} ${by.version}`, seconds);
  return control.bounded({ ms: 1000 * seconds, fault }, () => embedded(input, by, control));
}

const keyOf = ({ recipe }: EmbedInput) => JSON.stringify(recipe);

function tooSlow({ recipe, sequences }: EmbedInput, backend: string, seconds: number): ProblemError {
  const residues = sequences.reduce((sum, { length }) => sum + length, 0);
  return new ProblemError(
    'backend_unavailable',
    `The embedding backend ${backend} did not return within ${seconds} s for ${residues} residues in ${sequences.length} ${sequences.length === 1 ? 'sequence' : 'sequences'} with the model ${recipe.model_name}, and was ended. ` +
      'Use a smaller model, another backend, or a version of this one that is faster or names a longer limit (limitSeconds).',
  );
}

async function embedded(input: EmbedInput, by: BackendPlugin, control: TaskControl): Promise<EmbedOutput> {
  const key = keyOf(input);
  const modelKept = open?.key === key;
  if (!modelKept) {
    await open?.session.close();
    open = null;
    const backend = await threadPlugins.backend(input.recipe.model_backend);
    open = { key, by, session: await backend.open(input.recipe) };
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
