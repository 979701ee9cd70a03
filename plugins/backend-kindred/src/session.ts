import type { EmbeddedSequences, EmbeddingRecipe, EmbeddingSession } from '@kindred/contracts';
import { embeddedColumns, type EmbeddedSpan, spansToEmbed } from '@kindred/kernels/chunks';
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
    const spans: EmbeddedSpan[] = [];
    signal?.throwIfAborted();
    let residues = 0;
    for (const [sequence, letters] of sequences.entries())
      for (const span of spansToEmbed(letters.length, this.#recipe)) {
        const { start, endExclusive } = span;
        spans.push({ ...span, sequence, vector: this.#vector(letters.slice(start, endExclusive)) });
        residues += endExclusive - start;
        if (residues < sliceResidues) continue;
        residues = 0;
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
      }
    return embeddedColumns(spans, this.#recipe, this.dimension);
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
