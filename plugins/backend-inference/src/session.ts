import type { EmbeddedSequences, EmbeddingRecipe, EmbeddingSession } from '@kindred/contracts';
import {
  chunkSpans,
  embeddedColumns,
  type EmbeddedSpan,
  type Span,
  spansToEmbed,
} from '@kindred/kernels/chunks';
import type { InferenceClient } from './client.js';
import { misfit, type TensorHead } from './tensors.js';

/** The maximum number of pieces and residues in a request: large enough for a GPU, small enough to retry. */
const piecesPerRequest = 64;
const residuesPerRequest = 50_000;
/** A protein whose vector gives the dimension if the server's description does not. */
const probe = 'MKTAYIAKQRQISFVKSHFSRQ';

interface Piece extends Span {
  sequence: number;
  text: string;
}
type EmbeddedPiece = Piece & EmbeddedSpan;

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
    const { use_chunking, max_length, normalize } = this.#recipe;
    // Sequences that exceed the model's length are split into windows. Without chunking, the result is the mean of the
    // windows, weighted by residues.
    const pieces = sequences.flatMap((text, sequence) =>
      (use_chunking ? spansToEmbed(text.length, this.#recipe) : chunkSpans(text.length, max_length, 0)).map(
        (span): Piece => ({ ...span, sequence, text: text.slice(span.start, span.endExclusive) }),
      ),
    );
    const embedded = await this.#embedded(pieces, signal);
    const spans: EmbeddedSpan[] = use_chunking
      ? embedded
      : sequences.map((text, sequence) => ({
          sequence,
          start: 0,
          endExclusive: text.length,
          vector: this.#mean(embedded.filter((piece) => piece.sequence === sequence)),
        }));
    return embeddedColumns(
      normalize ? spans.map((span) => ({ ...span, vector: unit(span.vector) })) : spans,
      this.#recipe,
      this.dimension,
    );
  }

  async close(): Promise<void> {}

  async #embedded(pieces: readonly Piece[], signal?: AbortSignal): Promise<EmbeddedPiece[]> {
    const embedded: EmbeddedPiece[] = [];
    for (const request of requestsOf(pieces)) embedded.push(...(await this.#request(request, signal)));
    return embedded;
  }

  async #request(pieces: readonly Piece[], signal?: AbortSignal): Promise<EmbeddedPiece[]> {
    const texts = pieces.map(({ text }) => text);
    const { shape, values } = await this.#client.infer(this.#target, texts, signal);
    if (shape.length !== 2 || shape[0] !== texts.length || shape[1] !== this.dimension) {
      throw misfit(
        `${this.#target.output} has shape [${shape.join(', ')}]; expected one vector for each of ${texts.length} sequences, [${texts.length}, ${this.dimension}]`,
      );
    }
    if (values.some((value) => !Number.isFinite(value)))
      throw misfit(`${this.#target.output} has a number that is not finite`);
    return pieces.map((piece, i) => ({
      ...piece,
      vector: values.subarray(i * this.dimension, (i + 1) * this.dimension),
    }));
  }

  /** Returns the mean of the pieces of one sequence, weighted by residues. */
  #mean(pieces: readonly EmbeddedPiece[]): Float32Array {
    const [first, ...others] = pieces;
    if (first !== undefined && others.length === 0) return first.vector;
    const mean = new Float32Array(this.dimension);
    const total = pieces.reduce((sum, { text }) => sum + text.length, 0);
    for (const { text, vector } of pieces) {
      const weight = text.length / total;
      for (const [d, value] of vector.entries()) mean[d] = (mean[d] ?? 0) + weight * value;
    }
    return mean;
  }
}

/** Divides the pieces, in order, into requests. A piece that is larger than a request goes alone. */
function requestsOf(pieces: readonly Piece[]): Piece[][] {
  const requests: Piece[][] = [];
  let open: Piece[] = [];
  let residues = 0;
  for (const piece of pieces) {
    residues += piece.text.length;
    if (open.length === 0 || open.length === piecesPerRequest || residues > residuesPerRequest) {
      open = [];
      requests.push(open);
      residues = piece.text.length;
    }
    open.push(piece);
  }
  return requests;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
