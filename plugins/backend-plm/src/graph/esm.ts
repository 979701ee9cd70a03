import type { EsmConfig } from '../weights/config.js';
import type { GraphBuilder } from './builder.js';
import {
  addLayerNorm,
  type Grid,
  gridOf,
  layerNorm,
  type Rotation,
  rotaryOf,
  type Wanted,
} from './encoder-parts.js';

/** The share of tokens that were not masked in training. Without masked tokens, embeddings are scaled by it. */
const keptTokens = 1 - 0.15 * 0.8;

/**
 * Builds ESM-1b and ESM-2.
 * @cite Rives2021 @cite Lin2023
 * @returns the name of each requested state in the graph
 */
export function buildEsm(builder: GraphBuilder, config: EsmConfig, wanted: Wanted): Record<number, string> {
  const tokens = builder.input('tokens', 'int64', ['batch', 'length']);
  const grid = gridOf(builder, tokens);
  const rotary = config.positions === 'rotary' ? rotaryOf(builder, config) : null;
  let x = embeddings(builder, config, tokens, grid);
  const states: Record<number, string> = { 0: x };
  if (wanted.depth === 0) return states;
  let normed = layerNorm(builder, x, 'encoder.layer.0.attention.LayerNorm', config);
  for (let layer = 0; layer < wanted.depth; layer++) {
    const name = `encoder.layer.${layer}`;
    const mixed = attention(builder, config, { normed, name, grid, rotary });
    const between = addLayerNorm(builder, [x, mixed], `${name}.LayerNorm`, config);
    const fed = feedForward(builder, config, between.normed, name);
    const above = layer + 1;
    if (above < wanted.depth) {
      const next = addLayerNorm(
        builder,
        [between.sum, fed],
        `encoder.layer.${above}.attention.LayerNorm`,
        config,
      );
      x = states[above] = next.sum;
      normed = next.normed;
    } else if (wanted.isLast) {
      states[above] = addLayerNorm(
        builder,
        [between.sum, fed],
        'encoder.emb_layer_norm_after',
        config,
      ).normed;
    } else states[above] = builder.op('Add', [between.sum, fed]);
  }
  return states;
}

function embeddings(builder: GraphBuilder, config: EsmConfig, tokens: string, grid: Grid): string {
  const { hidden } = config;
  const table = builder.weight('embeddings.word_embeddings.weight', [config.vocabulary, hidden]);
  let x = builder.op('Gather', [table, tokens], { axis: { integer: 0 } });
  if (config.tokenDropout) x = builder.op('Mul', [x, builder.float(keptTokens)]);
  if (config.maxTokens !== null) {
    const first = config.padId + 1;
    const positions = builder.weight('embeddings.position_embeddings.weight', [
      config.maxTokens + first,
      hidden,
    ]);
    const end = builder.op('Add', [grid.length, builder.integers([first])]);
    const used = builder.op('Slice', [positions, builder.integers([first]), end, builder.integers([0])]);
    x = builder.op('Add', [x, used]);
  }
  x = grid.flat(x, hidden);
  return config.normalisedEmbeddings ? layerNorm(builder, x, 'embeddings.layer_norm', config) : x;
}

function attention(
  builder: GraphBuilder,
  { hidden, heads }: EsmConfig,
  { normed, name, grid, rotary }: { normed: string; name: string; grid: Grid; rotary: Rotation | null },
): string {
  const square = [hidden, hidden] as const;
  const [query, key, value] = ['query', 'key', 'value'].map((part) =>
    grid.spread(builder.linear(normed, `${name}.attention.self.${part}`, square), hidden),
  );
  const turned = rotary === null ? [query, key] : [rotary(query), rotary(key)];
  const [mixed] = builder.fused('MultiHeadAttention', [...turned, value], { num_heads: { integer: heads } });
  return builder.linear(grid.flat(mixed, hidden), `${name}.attention.output.dense`, square);
}

function feedForward(
  builder: GraphBuilder,
  { hidden, intermediate }: EsmConfig,
  x: string,
  name: string,
): string {
  const wide = builder.linear(x, `${name}.intermediate.dense`, [intermediate, hidden]);
  const [active] = builder.fused('Gelu', [wide]);
  return builder.linear(active, `${name}.output.dense`, [hidden, intermediate]);
}
