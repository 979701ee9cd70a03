import type { EncoderConfig } from '../weights/config.js';
import type { GraphBuilder } from './builder.js';

// Parts that all families of encoders use.

/** The hidden states that a graph must return. */
export interface Wanted {
  /** 0 is the embeddings, n the state after layer n. */
  states: readonly number[];
  /** Number of layers up to the deepest requested state; later layers are not computed. */
  depth: number;
  isLast: boolean;
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
 * sum = x + y and its layer normalisation. Uses two operators, because ONNX Runtime's combined operator takes seven times as
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

/** Gain and bias of a layer; old checkpoints name them gamma and beta. */
function gainAndBias(builder: GraphBuilder, name: string, hidden: number): string[] {
  const [gain, bias] = builder.has(`${name}.gamma`) ? ['gamma', 'beta'] : ['weight', 'bias'];
  return [builder.weight(`${name}.${gain}`, [hidden]), builder.weight(`${name}.${bias}`, [hidden])];
}

/** Turns queries or keys (batch x length x hidden) by their positions. */
export type Rotation = (x: string) => string;

/** Rotary positions, from the inputs `cos` and `sin`, or others that end so. */
export function rotaryOf(
  builder: GraphBuilder,
  { hidden, heads }: Pick<EncoderConfig, 'hidden' | 'heads'>,
  prefix: '' | 'global_' = '',
): Rotation {
  const half = hidden / heads / 2;
  const cos = builder.input(`${prefix}cos`, 'float', ['length', half]);
  const sin = builder.input(`${prefix}sin`, 'float', ['length', half]);
  const attributes = { interleaved: { integer: 0 }, num_heads: { integer: heads } };
  // One number: the position of the first token.
  const start = builder.integers([0]);
  return (x) => builder.fused('RotaryEmbedding', [x, start, cos, sin], attributes)[0];
}

/** Root-mean-square normalisation with the weight `name`.weight. */
export function rmsNorm(
  builder: GraphBuilder,
  x: string,
  name: string,
  { hidden, epsilon }: EncoderConfig,
): string {
  const gain = builder.weight(`${name}.weight`, [hidden]);
  return builder.op('SimplifiedLayerNormalization', [x, gain], { axis: { integer: -1 }, epsilon });
}

/** x times the logistic function of x. */
export function silu(builder: GraphBuilder, x: string): string {
  return builder.fused('QuickGelu', [x], { alpha: 1 })[0];
}
