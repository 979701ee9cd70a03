import type { EsmcConfig } from '../weights/config.js';
import type { GraphBuilder } from './builder.js';
import { type Grid, gridOf, layerNorm, type Rotation, rotaryOf, silu, type Wanted } from './encoder-parts.js';

/**
 * Builds ESM C, which has normalisation before each block and of queries and keys, rotary positions, and gated feed-forward blocks. Each
 * block's result is divided by a number that grows with the depth.
 * @cite ESMC2024
 * @returns the name of each requested state in the graph
 */
export function buildEsmc(
  builder: GraphBuilder,
  config: EsmcConfig,
  { depth, isLast }: Wanted,
): Record<number, string> {
  const tokens = builder.input('tokens', 'int64', ['batch', 'length']);
  const grid = gridOf(builder, tokens);
  const rotary = rotaryOf(builder, config);
  const table = builder.weight('embed_tokens.weight', [config.vocabulary, config.hidden]);
  let x = grid.flat(builder.op('Gather', [table, tokens], { axis: { integer: 0 } }), config.hidden);
  const states: Record<number, string> = { 0: x };
  const add = (block: string) =>
    builder.op('Add', [x, builder.op('Div', [block, builder.float(config.residualDivisor)])]);
  for (let layer = 0; layer < depth; layer++) {
    const name = `layers.${layer}`;
    const normed = layerNorm(builder, x, `${name}.input_layernorm`, config);
    x = add(attention(builder, config, { normed, name: `${name}.self_attn`, grid, rotary }));
    const between = layerNorm(builder, x, `${name}.post_attention_layernorm`, config);
    x = add(feedForward(builder, config, between, `${name}.mlp`));
    states[layer + 1] = x;
  }
  if (isLast) states[depth] = gainNorm(builder, x, 'norm', config);
  return states;
}

/** Adds a layer normalisation without a bias. */
function gainNorm(builder: GraphBuilder, x: string, name: string, { hidden, epsilon }: EsmcConfig): string {
  const gain = builder.weight(`${name}.weight`, [hidden]);
  return builder.op('LayerNormalization', [x, gain], { axis: { integer: -1 }, epsilon });
}

function attention(
  builder: GraphBuilder,
  config: EsmcConfig,
  { normed, name, grid, rotary }: { normed: string; name: string; grid: Grid; rotary: Rotation },
): string {
  const { hidden, heads, attentionBias } = config;
  const linear = (x: string, part: string) =>
    builder.linear(x, `${name}.${part}`, [hidden, hidden], attentionBias);
  // The normalisation is over all heads together.
  const turned = (['q', 'k'] as const).map((part) =>
    rotary(
      grid.spread(gainNorm(builder, linear(normed, `${part}_proj`), `${name}.${part}_norm`, config), hidden),
    ),
  );
  const value = grid.spread(linear(normed, 'v_proj'), hidden);
  const [mixed] = builder.fused('MultiHeadAttention', [...turned, value], { num_heads: { integer: heads } });
  return linear(grid.flat(mixed, hidden), 'o_proj');
}

function feedForward(
  builder: GraphBuilder,
  { hidden, intermediate, feedForwardBias }: EsmcConfig,
  x: string,
  name: string,
): string {
  const wide = (part: string) =>
    builder.linear(x, `${name}.${part}`, [intermediate, hidden], feedForwardBias);
  const between = builder.op('Mul', [silu(builder, wide('gate_proj')), wide('up_proj')]);
  return builder.linear(between, `${name}.down_proj`, [hidden, intermediate], feedForwardBias);
}
