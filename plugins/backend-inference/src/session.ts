import type { EmbeddedSequences, EmbeddingRecipe, EmbeddingSession } from '@kindred/contracts';
import { chunkSpans } from '@kindred/kernels/chunks';
import type { InferenceClient } from './client.js';
import { misfit, type TensorHead } from './tensors.js';

/** Maximum number of pieces and residues per request: large enough for a GPU, small enough to retry. */
const piecesPerRequest = 64;
const residuesPerRequest = 50_000;
/** Any protein; its vector gives the dimension if the server's description does not. */
const probe = 'MKTAYIAKQRQISFVKSHFSRQ';

interface Piece {
  sequence: number;
  start: number;
  text: string;
}

/** One model of the server with a recipe. */
export class InferenceSession implements EmbeddingSession {
  readonly #client: InferenceClient;
  readonly #target: { model: string; input: TensorHead; output: string };
  readonly #recipe: EmbeddingRecipe;

  private constructor(
    readonly dimension: number,
    client: InferenceClient,
    target: { model: string; input: TensorHead; output: string },
    recipe: EmbeddingRecipe,
  ) {
    this.#client = client;
    this.#target = target;
    this.#recipe = recipe;
  }

  static async open(
    client: InferenceClient,
    target: { model: string; input: TensorHead; output: TensorHead },
    recipe: EmbeddingRecipe,
  ): Promise<InferenceSession> {
    const { model, input, output } = target;
    const place = { model, input, output: output.name };
    const described = output.shape.at(-1) ?? -1;
    const dimension = described > 0 ? described : ((await client.infer(place, [probe])).shape.at(-1) ?? 0);
    if (!(dimension > 0)) throw misfit(`output ${output.name} of ${model} has no dimension`);
    return new InferenceSession(dimension, client, place, recipe);
  }

  async embed(sequences: readonly string[], signal?: AbortSignal): Promise<EmbeddedSequences> {
    const { use_chunking, chunk_size, chunk_overlap, max_length, normalize } = this.#recipe;
    // Sequences that exceed the model's length are split into windows. Without chunking, the result is the mean of the
    // windows, weighted by residues.
    const pieces = sequences.flatMap((text, sequence) =>
      (use_chunking
        ? chunkSpans(text.length, chunk_size, chunk_overlap)
        : chunkSpans(text.length, max_length, 0)
      ).map(({ start, endExclusive }): Piece => ({ sequence, start, text: text.slice(start, endExclusive) })),
    );
    const vectors = await this.#vectorsOf(pieces, signal);
    const rows = use_chunking
      ? pieces.map((piece, i) => ({ ...piece, end: piece.start + piece.text.length, vector: vectors[i] }))
      : sequences.map((_, sequence) => ({
          sequence,
          start: 0,
          end: -1,
          ...this.#mean(sequence, pieces, vectors),
        }));
    const all = new Float32Array(rows.length * this.dimension);
    rows.forEach(({ vector }, row) => {
      all.set(normalize ? unit(vector) : vector, row * this.dimension);
    });
    return {
      sequenceIndex: Int32Array.from(rows, (row) => row.sequence),
      chunkStart: Int32Array.from(rows, (row) => row.start),
      chunkEnd: Int32Array.from(rows, (row) => row.end),
      vectors: all,
    };
  }

  async close(): Promise<void> {}

  async #vectorsOf(pieces: readonly Piece[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < pieces.length; ) {
      let end = start + 1;
      let residues = pieces[start].text.length;
      for (; end < pieces.length && end - start < piecesPerRequest; end++) {
        residues += pieces[end].text.length;
        if (residues > residuesPerRequest) break;
      }
      vectors.push(...(await this.#request(pieces.slice(start, end), signal)));
      start = end;
    }
    return vectors;
  }

  async #request(pieces: readonly Piece[], signal?: AbortSignal): Promise<Float32Array[]> {
    const texts = pieces.map(({ text }) => text);
    const { shape, values } = await this.#client.infer(this.#target, texts, signal);
    if (shape.length !== 2 || shape[0] !== texts.length || shape[1] !== this.dimension) {
      throw misfit(
        `${this.#target.output} has shape [${shape.join(', ')}]; expected one vector for each of ${texts.length} sequences, [${texts.length}, ${this.dimension}]`,
      );
    }
    if (values.some((value) => !Number.isFinite(value)))
      throw misfit(`${this.#target.output} has a number that is not finite`);
    return texts.map((_, i) => values.subarray(i * this.dimension, (i + 1) * this.dimension));
  }

  #mean(
    sequence: number,
    pieces: readonly Piece[],
    vectors: readonly Float32Array[],
  ): { vector: Float32Array } {
    const own = pieces.flatMap((piece, i) => (piece.sequence === sequence ? [i] : []));
    if (own.length === 1) return { vector: vectors[own[0]] };
    const vector = new Float32Array(this.dimension);
    const total = own.reduce((sum, i) => sum + pieces[i].text.length, 0);
    for (const i of own) {
      const weight = pieces[i].text.length / total;
      for (let d = 0; d < vector.length; d++) vector[d] += weight * vectors[i][d];
    }
    return { vector };
  }
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
