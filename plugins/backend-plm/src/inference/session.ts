import {
  type EmbeddedSequences,
  type EmbeddingRecipe,
  type EmbeddingSession,
  ProblemError,
} from '@kindred/contracts';
import { chunkSpans } from '@kindred/kernels/chunks';
import type { ResidueTokenizer } from '../tokens/tokenizer.js';
import type { Encoder } from './encoder.js';
import { equalLengthRuns, windowSpans } from './pieces.js';
import { pooledDimension, ResiduePool } from './pooling.js';

/** The maximum number of tokens in a run. Larger runs were not faster on a CPU, and no longer fit the processor's caches. */
export const tokenBudget = 1024;

export interface LoadedModel {
  encoder: Encoder;
  tokenizer: ResidueTokenizer;
  hidden: number;
  /** The number of hidden states that the encoder returns. */
  layers: number;
  measured?: Record<string, number>;
}

/** One output row and its inputs. */
interface Row {
  sequence: number;
  chunkStart: number;
  /** The first residue after the chunk; -1 without chunks. */
  chunkEnd: number;
  /** One pool for each input, in order of residues; null until computed. */
  pools: (ResiduePool | null)[];
}
interface Input {
  row: number;
  /** The index among the inputs of its row. */
  part: number;
  ids: number[];
}

/** A language model with a recipe. */
export class LanguageModelSession implements EmbeddingSession {
  readonly dimension: number;

  readonly #model: LoadedModel;
  readonly #recipe: EmbeddingRecipe;

  constructor(model: LoadedModel, recipe: EmbeddingRecipe) {
    this.#model = model;
    this.#recipe = recipe;
    this.dimension = pooledDimension(recipe, model.layers, model.hidden);
  }

  /** @throws ProblemError bad_fasta for an empty sequence; the signal's reason on abort */
  async embed(sequences: readonly string[], signal?: AbortSignal): Promise<EmbeddedSequences> {
    const { rows, inputs } = this.#plan(sequences);
    const vectors = new Float32Array(rows.length * this.dimension);
    const runs = equalLengthRuns(
      inputs.map(({ ids }) => ids.length),
      this.#model.encoder.isBatchable ? tokenBudget : 0,
    );
    for (const run of runs) {
      signal?.throwIfAborted();
      const length = inputs[run[0]].ids.length;
      const ids = BigInt64Array.from(
        run.flatMap((input) => inputs[input].ids),
        BigInt,
      );
      const layers = await this.#model.encoder.run(ids, run.length, length);
      run.forEach((input, place) => {
        const { row, part } = inputs[input];
        rows[row].pools[part] = this.#poolOf(layers, place * length, length);
        const vector = joined(rows[row]);
        if (vector) vectors.set(vector, row * this.dimension);
      });
    }
    return {
      sequenceIndex: Int32Array.from(rows, ({ sequence }) => sequence),
      chunkStart: Int32Array.from(rows, ({ chunkStart }) => chunkStart),
      chunkEnd: Int32Array.from(rows, ({ chunkEnd }) => chunkEnd),
      vectors,
      measured: this.#model.measured,
    };
  }

  async close(): Promise<void> {
    await this.#model.encoder.close();
  }

  #plan(sequences: readonly string[]): { rows: Row[]; inputs: Input[] } {
    const { use_chunking, chunk_size, chunk_overlap, max_length } = this.#recipe;
    const { tokenizer } = this.#model;
    const rows: Row[] = [];
    const inputs: Input[] = [];
    sequences.forEach((text, sequence) => {
      if (text === '') throw new ProblemError('bad_fasta', `sequence ${sequence + 1} is empty`);
      const residues = tokenizer.canonical(text);
      const addRow = (chunkStart: number, chunkEnd: number, spans: ReturnType<typeof windowSpans>) => {
        spans.forEach(({ start, endExclusive }, part) => {
          const ids = tokenizer.encode(residues.slice(start, endExclusive));
          inputs.push({ row: rows.length, part, ids });
        });
        rows.push({ sequence, chunkStart, chunkEnd, pools: spans.map(() => null) });
      };
      if (!use_chunking) addRow(0, -1, windowSpans(residues.length, max_length));
      else {
        for (const span of chunkSpans(residues.length, chunk_size, chunk_overlap))
          addRow(span.start, span.endExclusive, [span]);
      }
    });
    return { rows, inputs };
  }

  /** Pools one input, whose tokens start at `start` in a run. */
  #poolOf(layers: readonly Float32Array[], start: number, length: number): ResiduePool {
    const { tokenizer, hidden } = this.#model;
    const [first, endExclusive] =
      this.#recipe.pooling === 'cls'
        ? [start, start + 1]
        : [start + tokenizer.prefixTokens, start + length - tokenizer.suffixTokens];
    const pool = new ResiduePool(this.#recipe, layers.length, hidden);
    pool.add({ layers, first, endExclusive });
    return pool;
  }
}

/** Returns the row's vector, or null while inputs are missing. Pools are merged in order, so that sums do not depend on the batches. */
function joined(row: Row): Float32Array | null {
  const [first, ...others] = row.pools;
  if (!first || others.some((pool) => pool === null)) return null;
  for (const pool of others) first.merge(pool as ResiduePool);
  row.pools = [];
  return first.vector();
}
