import type { T5Activation, T5Config } from '../weights/config.js';
import type { GraphBuilder } from './builder.js';
import { type Grid, gridOf, rmsNorm, silu, type Wanted } from './encoder-parts.js';

/**
 * Builds the encoder of T5 (ProtT5, ProstT5, Ankh, Ankh3).
 * @cite Raffel2020 @cite Elnaggar2022
 * @returns the value of each wanted state
 */
export function buildT5(builder: GraphBuilder, config: T5Config, wanted: Wanted): Record<number, string> {
  const tokens = builder.input('tokens', 'int64', ['batch', 'length']);
  const grid = gridOf(builder, tokens);
  const shared = builder.has('shared.weight') ? 'shared.weight' : 'encoder.embed_tokens.weight';
  const table = builder.weight(shared, [config.vocabulary, config.hidden]);
  let x = grid.flat(builder.op('Gather', [table, tokens], { axis: { integer: 0 } }), config.hidden);
  const states: Record<number, string> = { 0: x };
  if (wanted.depth === 0) return states;
  const bias = positionBias(builder, config, grid);
  let normed = rmsNorm(builder, x, nameOf(0, 0), config);
  for (let layer = 0; layer < wanted.depth; layer++) {
    const mixed = attention(builder, config, { normed, layer, grid, bias });
    const between = addNorm(builder, [x, mixed], nameOf(layer, 1), config);
    const fed = feedForward(builder, config, between.normed, layer);
    const above = layer + 1;
    if (above < wanted.depth) {
      const next = addNorm(builder, [between.sum, fed], nameOf(above, 0), config);
      x = states[above] = next.sum;
      normed = next.normed;
    } else if (wanted.isLast) {
      states[above] = addNorm(builder, [between.sum, fed], 'encoder.final_layer_norm', config).normed;
    } else states[above] = builder.op('Add', [between.sum, fed]);
  }
  return states;
}

/** Returns the name of the normalisation before the attention (part 0) or the feed-forward block (part 1) of a layer. */
const nameOf = (layer: number, part: 0 | 1): string => `encoder.block.${layer}.layer.${part}.layer_norm`;

/** Computes sum = x + y and sum / rms(sum) x gain, in two operators as in `addLayerNorm`. */
function addNorm(
  builder: GraphBuilder,
  [x, y]: readonly [string, string],
  name: string,
  config: T5Config,
): { sum: string; normed: string } {
  const sum = builder.op('Add', [x, y]);
  return { normed: rmsNorm(builder, sum, name, config), sum };
}

/** Computes the bias [1, heads, length, length] from the bucket of each relative position (key - query). All layers share it. */
function positionBias(builder: GraphBuilder, { buckets: rows, heads }: T5Config, grid: Grid): string {
  const buckets = builder.input('buckets', 'int64', ['distances']);
  const table = builder.weight('encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight', [
    rows,
    heads,
  ]);
  const axis = (integer: number) => ({ axis: { integer } });
  const perDistance = builder.op('Transpose', [builder.op('Gather', [table, buckets], axis(0))], {
    perm: [1, 0],
  });
  const length = builder.op('Squeeze', [grid.length]);
  const one = builder.integers([1], []);
  const places = builder.op('Range', [builder.integers([0], []), length, one]);
  const keys = builder.op('Unsqueeze', [places, builder.integers([0])]);
  const queries = builder.op('Unsqueeze', [places, builder.integers([1])]);
  const last = builder.op('Sub', [length, one]);
  const index = builder.op('Add', [builder.op('Sub', [keys, queries]), last]);
  const bias = builder.op('Gather', [perDistance, index], axis(1));
  return builder.op('Unsqueeze', [bias, builder.integers([0])]);
}

function attention(
  builder: GraphBuilder,
  { hidden, heads, headSize }: T5Config,
  { normed, layer, grid, bias }: { normed: string; layer: number; grid: Grid; bias: string },
): string {
  const inner = heads * headSize;
  const name = `encoder.block.${layer}.layer.0.SelfAttention`;
  const parts = ['q', 'k', 'v'].map((part) =>
    grid.spread(builder.linear(normed, `${name}.${part}`, [inner, hidden], false), inner),
  );
  // The inputs 4 and 5 (bias, padding mask) are absent, and T5 does not scale its products.
  const [mixed] = builder.fused('MultiHeadAttention', [...parts, '', '', bias], {
    num_heads: { integer: heads },
    scale: 1,
  });
  return builder.linear(grid.flat(mixed, inner), `${name}.o`, [hidden, inner], false);
}

function feedForward(
  builder: GraphBuilder,
  { hidden, intermediate, gated, activation }: T5Config,
  x: string,
  layer: number,
): string {
  const name = `encoder.block.${layer}.layer.1.DenseReluDense`;
  const wide = (part: string) => builder.linear(x, `${name}.${part}`, [intermediate, hidden], false);
  const active = (value: string) => activate(builder, activation, value);
  const between = gated ? builder.op('Mul', [active(wide('wi_0')), wide('wi_1')]) : active(wide('wi'));
  return builder.linear(between, `${name}.wo`, [hidden, intermediate], false);
}

function activate(builder: GraphBuilder, activation: T5Activation, value: string): string {
  switch (activation) {
    case 'relu':
      return builder.op('Relu', [value]);
    case 'gelu':
      return builder.fused('Gelu', [value])[0];
    case 'gelu_new':
      return builder.fused('FastGelu', [value])[0];
    case 'silu':
      return silu(builder, value);
  }
}
