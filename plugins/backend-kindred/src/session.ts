import type { EmbeddedSequences, EmbeddingRecipe, EmbeddingSession } from '@kindred/contracts';
import { chunkSpans } from '@kindred/kernels/chunks';
import type { SequenceNetwork } from '@kindred/kernels/network';

/** Residues between two yields to the event loop: some 50 ms. */
const sliceResidues = 1024;

/** The network with a recipe. */
export class NetworkSession implements EmbeddingSession {
  readonly #network: SequenceNetwork;
  readonly #recipe: EmbeddingRecipe;

  constructor(network: SequenceNetwork, recipe: EmbeddingRecipe) {
    this.#network = network;
    this.#recipe = recipe;
  }

  get dimension(): number {
    return this.#network.dimension;
  }

  /** @throws the signal's reason when aborted */
  async embed(sequences: readonly string[], signal?: AbortSignal): Promise<EmbeddedSequences> {
    const sequenceIndex: number[] = [];
    const chunkStart: number[] = [];
    const chunkEnd: number[] = [];
    const rows: Float32Array[] = [];
    const { use_chunking, chunk_size, chunk_overlap } = this.#recipe;
    signal?.throwIfAborted();
    let residues = 0;
    for (const [index, sequence] of sequences.entries()) {
      const spans = use_chunking
        ? chunkSpans(sequence.length, chunk_size, chunk_overlap)
        : [{ start: 0, endExclusive: sequence.length }];
      for (const { start, endExclusive } of spans) {
        sequenceIndex.push(index);
        chunkStart.push(start);
        chunkEnd.push(use_chunking ? endExclusive : -1);
        rows.push(this.#vector(sequence.slice(start, endExclusive)));
        residues += endExclusive - start;
        if (residues < sliceResidues) continue;
        residues = 0;
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
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

  /** Zeros for a sequence that is too short for the network: it is at cosine distance 1 from all others. */
  #vector(sequence: string): Float32Array {
    const vector =
      this.#network.vectorOf(sequence, this.#recipe.max_length) ?? new Float32Array(this.dimension);
    if (!this.#recipe.normalize) return vector;
    let square = 0;
    for (const value of vector) square += value * value;
    if (square === 0) return vector;
    const scale = 1 / Math.sqrt(square);
    return vector.map((value) => value * scale);
  }
}
