import type { EncoderConfig } from '../weights/config.js';
import type { Weights } from '../weights/safetensors.js';
import { buildBert } from './bert.js';
import { GraphBuilder, type QuantisedWeights } from './builder.js';
import { buildEsm } from './esm.js';
import { buildT5 } from './t5.js';

export interface EncoderGraph {
  model: Uint8Array;
  /** Output of each wanted state, in the order asked for: float32 [batch x length, hidden]. */
  outputs: readonly string[];
}

/** What the families share: the graph so far, and the states that it shall give. */
export interface Wanted {
  /** 0 is the embeddings, n the state after layer n. */
  states: readonly number[];
  /** Layers up to the deepest state; those above are not computed. */
  depth: number;
  isLast: boolean;
}

/**
 * The graph that turns `tokens` (int64 [batch, length], equal lengths, no padding) into hidden states. State 0 is what
 * enters the first layer, state n what leaves layer n; the last one is normalised where the family does so. Only the
 * layers up to the deepest wanted state are in the graph, and only their weights are read.
 *
 * Inputs beside `tokens`: rotary positions need `cos` and `sin` (float32 [length, head size / 2]), T5 needs `buckets`
 * (int64 [2 length - 1], the bucket of each relative position from 1 - length on).
 *
 * @throws ProblemError bad_file when the weights do not fit config.json
 */
export function buildEncoder(
  config: EncoderConfig,
  weights: Weights,
  states: readonly number[],
  quantised: QuantisedWeights | null = null,
): EncoderGraph {
  const builder = new GraphBuilder(weights, prefixOf(config, weights), quantised);
  const depth = Math.max(...states);
  const wanted: Wanted = { states, depth, isLast: depth === config.layers };
  const named =
    config.family === 'esm'
      ? buildEsm(builder, config, wanted)
      : config.family === 'bert'
        ? buildBert(builder, config, wanted)
        : buildT5(builder, config, wanted);
  const outputs = states.map((state) => named[state]);
  for (const value of new Set(outputs)) builder.output(value, ['rows', config.hidden]);
  return { model: builder.finish(), outputs };
}

/** A model that was saved with a head keeps its encoder under a name of its own. */
function prefixOf({ family }: EncoderConfig, weights: Weights): string {
  const head = `${family}.`;
  return family !== 't5' && [...weights.keys()].some((name) => name.startsWith(`${head}encoder.`))
    ? head
    : '';
}

/** Shapes of the token grid, computed once in the graph. */
export function gridOf(builder: GraphBuilder, tokens: string) {
  const size = builder.op('Shape', [tokens]);
  const length = builder.op('Gather', [size, builder.integers([1])], { axis: { integer: 0 } });
  return {
    /** int64 [1] */
    length,
    /** rows x width -> batch x length x width */
    spread: (x: string, width: number): string =>
      builder.op('Reshape', [
        x,
        builder.op('Concat', [size, builder.integers([width])], { axis: { integer: 0 } }),
      ]),
    /** batch x length x width -> rows x width */
    flat: (x: string, width: number): string => builder.op('Reshape', [x, builder.integers([-1, width])]),
  };
}
export type Grid = ReturnType<typeof gridOf>;

/** Layer normalisation with the weights `name`.weight and `name`.bias. */
export function layerNorm(
  builder: GraphBuilder,
  x: string,
  name: string,
  { hidden, epsilon }: EncoderConfig,
): string {
  return builder.op('LayerNormalization', [x, ...gainAndBias(builder, name, hidden)], {
    axis: { integer: -1 },
    epsilon,
  });
}

/**
 * sum = x + y and its layer normalisation. Two operators, since the one that ONNX Runtime has for both takes seven times as
 * long on a CPU.
 */
export function addLayerNorm(
  builder: GraphBuilder,
  [x, y]: readonly [string, string],
  name: string,
  config: EncoderConfig,
): { sum: string; normed: string } {
  const sum = builder.op('Add', [x, y]);
  return { normed: layerNorm(builder, sum, name, config), sum };
}

/** Old checkpoints call gain and bias gamma and beta. */
function gainAndBias(builder: GraphBuilder, name: string, hidden: number): string[] {
  const [gain, bias] = builder.has(`${name}.gamma`) ? ['gamma', 'beta'] : ['weight', 'bias'];
  return [builder.weight(`${name}.${gain}`, [hidden]), builder.weight(`${name}.${bias}`, [hidden])];
}
