import type { EncoderConfig } from '../weights/config.js';
import type { GraphBuilder } from './builder.js';

// This file has the parts that all families of encoders use.

/** The hidden states that a graph must return. */
export interface Wanted {
  /** The states: 0 is the embeddings, n the state after layer n. */
  states: readonly number[];
  /** The number of layers up to the deepest requested state. Later layers are not computed. */
  depth: number;
  isLast: boolean;
}

/** Computes the shapes of the token grid, once in the graph. */
export function gridOf(builder: GraphBuilder, tokens: string) {
  const size = builder.op('Shape', [tokens]);
  const length = builder.op('Gather', [size, builder.integers([1])], { axis: { integer: 0 } });
  return {
    /** The length of the inputs: int64 [1]. */
    length,
    /** Reshapes rows x width to batch x length x width. */
    spread: (x: string, width: number): string =>
      builder.op('Reshape', [
        x,
        builder.op('Concat', [size, builder.integers([width])], { axis: { integer: 0 } }),
      ]),
    /** Reshapes batch x length x width to rows x width. */
    flat: (x: string, width: number): string => builder.op('Reshape', [x, builder.integers([-1, width])]),
  };
}
export type Grid = ReturnType<typeof gridOf>;

/** Adds a layer normalisation with the weights `name`.weight and `name`.bias. */
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
 * Computes sum = x + y and its layer normalisation. Two operators are used, because ONNX Runtime's combined operator takes seven times as
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

/** Returns gain and bias of a layer, which old checkpoints name gamma and beta. */
function gainAndBias(builder: GraphBuilder, name: string, hidden: number): string[] {
  const [gain, bias] = builder.has(`${name}.gamma`) ? ['gamma', 'beta'] : ['weight', 'bias'];
  return [builder.weight(`${name}.${gain}`, [hidden]), builder.weight(`${name}.${bias}`, [hidden])];
}

/** A function that turns queries or keys (batch x length x hidden) by their positions. */
export type Rotation = (x: string) => string;

/** Makes rotary positions from the inputs `cos` and `sin`, or from others with these endings. */
export function rotaryOf(
  builder: GraphBuilder,
  { hidden, heads }: Pick<EncoderConfig, 'hidden' | 'heads'>,
  prefix: '' | 'global_' = '',
): Rotation {
  const half = hidden / heads / 2;
  const cos = builder.input(`${prefix}cos`, 'float', ['length', half]);
  const sin = builder.input(`${prefix}sin`, 'float', ['length', half]);
  const attributes = { interleaved: { integer: 0 }, num_heads: { integer: heads } };
  // The constant is a single number: the position of the first token.
  const start = builder.integers([0]);
  return (x) => builder.fused('RotaryEmbedding', [x, start, cos, sin], attributes)[0];
}

/** Adds a root-mean-square normalisation with the weight `name`.weight. */
export function rmsNorm(
  builder: GraphBuilder,
  x: string,
  name: string,
  { hidden, epsilon }: EncoderConfig,
): string {
  const gain = builder.weight(`${name}.weight`, [hidden]);
  return builder.op('SimplifiedLayerNormalization', [x, gain], { axis: { integer: -1 }, epsilon });
}

/** Multiplies x by the logistic function of x. */
export function silu(builder: GraphBuilder, x: string): string {
  return builder.fused('QuickGelu', [x], { alpha: 1 })[0];
}
