import {
  type EmbeddedSequences,
  type EmbeddingRecipe,
  type EmbeddingSession,
  ProblemError,
} from '@kindred/contracts';
import { chunkSpans } from '@kindred/kernels/chunks';
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
    const sequenceIndex: number[] = [];
    const chunkStart: number[] = [];
    const chunkEnd: number[] = [];
    const rows: Float32Array[] = [];
    const { use_chunking, chunk_size, chunk_overlap } = this.#recipe;
    for (let index = 0; index < sequences.length; index++) {
      if (index % sliceSequences === 0) {
        signal?.throwIfAborted();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const codes = encode(sequences[index], index);
      const spans = use_chunking
        ? chunkSpans(codes.length, chunk_size, chunk_overlap)
        : [{ start: 0, endExclusive: codes.length }];
      for (const { start, endExclusive } of spans) {
        sequenceIndex.push(index);
        chunkStart.push(start);
        chunkEnd.push(use_chunking ? endExclusive : -1);
        rows.push(this.#vector(codes.subarray(start, endExclusive)));
      }
    }
    const vectors = new Float32Array(rows.length * this.dimension);
    rows.forEach((row, r) => vectors.set(row, r * this.dimension));
    return {
      sequenceIndex: Int32Array.from(sequenceIndex),
      chunkStart: Int32Array.from(chunkStart),
      chunkEnd: Int32Array.from(chunkEnd),
      vectors,
    };
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
