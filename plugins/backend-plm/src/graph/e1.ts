import type { E1Config } from '../weights/config.js';
import type { GraphBuilder } from './builder.js';
import { type Grid, gridOf, rmsNorm, type Rotation, rotaryOf, silu, type Wanted } from './encoder-parts.js';

/**
 * Builds E1 for one sequence at a time. Every n-th layer is global: with several sequences it would also see the sequences before its
 * own. With a single sequence, all layers see the whole of it, and the global ones turn by positions of another base.
 * @cite Jain2025
 * @returns the name of each requested state in the graph
 */
export function buildE1(
  builder: GraphBuilder,
  config: E1Config,
  { depth, isLast }: Wanted,
): Record<number, string> {
  const tokens = builder.input('tokens', 'int64', ['batch', 'length']);
  const grid = gridOf(builder, tokens);
  const within = rotaryOf(builder, config);
  const global = rotaryOf(builder, config, 'global_');
  let x = embeddings(builder, config, tokens, grid);
  const states: Record<number, string> = { 0: x };
  for (let layer = 0; layer < depth; layer++) {
    const name = `layers.${layer}`;
    const isGlobal = config.globalEvery !== null && (layer + 1) % config.globalEvery === 0;
    const rotary = isGlobal ? global : within;
    const normed = rmsNorm(builder, x, `${name}.norm_attn_norm.input_layernorm`, config);
    const mixed = attention(builder, config, {
      normed,
      name: `${name}.norm_attn_norm.self_attn`,
      grid,
      rotary,
    });
    x = builder.op('Add', [x, mixed]);
    const between = rmsNorm(builder, x, `${name}.norm_attn_norm.post_attention_layernorm`, config);
    x = builder.op('Add', [x, feedForward(builder, config, between, `${name}.ffn.mlp`)]);
    states[layer + 1] = x;
  }
  if (isLast) states[depth] = rmsNorm(builder, x, 'norm', config);
  return states;
}

/** Returns each token's vector plus that of the first sequence. */
function embeddings(builder: GraphBuilder, config: E1Config, tokens: string, grid: Grid): string {
  const { vocabulary, hidden, maxSequences } = config;
  const axis = { axis: { integer: 0 } };
  const table = builder.weight('embed_tokens.weight', [vocabulary, hidden]);
  const sequences = builder.weight('embed_seq_id.weight', [maxSequences, hidden]);
  const first = builder.op('Gather', [sequences, builder.integers([0])], axis);
  return builder.op('Add', [grid.flat(builder.op('Gather', [table, tokens], axis), hidden), first]);
}

function attention(
  builder: GraphBuilder,
  { hidden, heads, clip }: E1Config,
  { normed, name, grid, rotary }: { normed: string; name: string; grid: Grid; rotary: Rotation },
): string {
  const linear = (x: string, part: string) =>
    builder.linear(x, `${name}.${part}_proj`, [hidden, hidden], false);
  const limited = (x: string) =>
    clip === null ? x : builder.op('Clip', [x, builder.float(-clip), builder.float(clip)]);
  const [query, key, value] = ['q', 'k', 'v'].map((part) =>
    grid.spread(limited(linear(normed, part)), hidden),
  );
  const [mixed] = builder.fused('MultiHeadAttention', [rotary(query), rotary(key), value], {
    num_heads: { integer: heads },
  });
  return linear(grid.flat(mixed, hidden), 'o');
}

function feedForward(
  builder: GraphBuilder,
  { hidden, intermediate }: E1Config,
  x: string,
  name: string,
): string {
  const wide = (part: string) => builder.linear(x, `${name}.${part}`, [intermediate, hidden], false);
  const between = builder.op('Mul', [silu(builder, wide('w1')), wide('w3')]);
  return builder.linear(between, `${name}.w2`, [hidden, intermediate], false);
}
