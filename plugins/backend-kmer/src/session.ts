import {
  type EmbeddedSequences,
  type EmbeddingRecipe,
  type EmbeddingSession,
  ProblemError,
} from '@kindred/contracts';
import { embeddedColumns, type EmbeddedSpan, spansToEmbed } from '@kindred/kernels/chunks';
import { encodeLetters } from './spectrum.js';
import type { WasmSpectrum } from './wasm-spectrum.js';

/** The number of sequences between two yields to the event loop. */
const sliceSequences = 64;

/** A k-mer model with a recipe. */
export class KmerSession implements EmbeddingSession {
  readonly #spectrum: WasmSpectrum;
  readonly #recipe: EmbeddingRecipe;

  constructor(
    readonly dimension: number,
    spectrum: WasmSpectrum,
    recipe: EmbeddingRecipe,
  ) {
    this.#spectrum = spectrum;
    this.#recipe = recipe;
  }

  /** @throws ProblemError bad_fasta, which names sequence, position and letter; the signal's reason on abort */
  async embed(sequences: readonly string[], signal?: AbortSignal): Promise<EmbeddedSequences> {
    const spans: EmbeddedSpan[] = [];
    for (const [sequence, letters] of sequences.entries()) {
      if (sequence % sliceSequences === 0) {
        signal?.throwIfAborted();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const codes = encode(letters, sequence);
      for (const span of spansToEmbed(codes.length, this.#recipe))
        spans.push({
          ...span,
          sequence,
          vector: this.#vector(codes.subarray(span.start, span.endExclusive)),
        });
    }
    return embeddedColumns(spans, this.#recipe, this.dimension);
  }

  async close(): Promise<void> {}

  #vector(codes: Uint8Array): Float32Array {
    const vector = this.#spectrum.embed(codes, this.#recipe.max_length);
    if (this.#recipe.normalize) {
      let square = 0;
      for (const value of vector) square += value * value;
      if (square > 0) {
        const scale = 1 / Math.sqrt(square);
        for (let i = 0; i < vector.length; i++) vector[i] *= scale;
      }
    }
    // The constructor is faster here, because from() goes through an iterator.
    return new Float32Array(vector);
  }
}

function encode(sequence: string, index: number): Uint8Array {
  try {
    return encodeLetters(sequence);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProblemError('bad_fasta', `sequence ${index + 1}: ${error.message}`, { cause: error });
  }
}
