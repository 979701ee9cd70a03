import type { BertConfig } from '../weights/config.js';
import type { GraphBuilder } from './builder.js';
import { addLayerNorm, type Grid, gridOf, layerNorm, type Wanted } from './encoder-parts.js';

/**
 * Builds BERT (ProtBERT), with all tokens in the first segment.
 * @cite Elnaggar2022
 * @returns the value of each wanted state
 */
export function buildBert(builder: GraphBuilder, config: BertConfig, wanted: Wanted): Record<number, string> {
  const tokens = builder.input('tokens', 'int64', ['batch', 'length']);
  const grid = gridOf(builder, tokens);
  let x = embeddings(builder, config, tokens, grid);
  const states: Record<number, string> = { 0: x };
  for (let layer = 0; layer < wanted.depth; layer++) {
    const name = `encoder.layer.${layer}`;
    const mixed = attention(builder, config, { x, name, grid });
    const between = addLayerNorm(builder, [x, mixed], `${name}.attention.output.LayerNorm`, config).normed;
    const wide = builder.linear(between, `${name}.intermediate.dense`, [config.intermediate, config.hidden]);
    const [active] = builder.fused('Gelu', [wide]);
    const fed = builder.linear(active, `${name}.output.dense`, [config.hidden, config.intermediate]);
    x = states[layer + 1] = addLayerNorm(builder, [between, fed], `${name}.output.LayerNorm`, config).normed;
  }
  return states;
}

function embeddings(builder: GraphBuilder, config: BertConfig, tokens: string, grid: Grid): string {
  const { hidden } = config;
  const words = builder.weight('embeddings.word_embeddings.weight', [config.vocabulary, hidden]);
  const places = builder.weight('embeddings.position_embeddings.weight', [config.maxTokens, hidden]);
  const segments = builder.weight('embeddings.token_type_embeddings.weight', [2, hidden]);
  const zero = builder.integers([0]);
  const used = builder.op('Slice', [places, zero, grid.length, zero]);
  const first = builder.op('Gather', [segments, zero], { axis: { integer: 0 } });
  const word = builder.op('Gather', [words, tokens], { axis: { integer: 0 } });
  const sum = builder.op('Add', [builder.op('Add', [word, first]), used]);
  return layerNorm(builder, grid.flat(sum, hidden), 'embeddings.LayerNorm', config);
}

function attention(
  builder: GraphBuilder,
  { hidden, heads }: BertConfig,
  { x, name, grid }: { x: string; name: string; grid: Grid },
): string {
  const square = [hidden, hidden] as const;
  const parts = ['query', 'key', 'value'].map((part) =>
    grid.spread(builder.linear(x, `${name}.attention.self.${part}`, square), hidden),
  );
  const [mixed] = builder.fused('MultiHeadAttention', parts, { num_heads: { integer: heads } });
  return builder.linear(grid.flat(mixed, hidden), `${name}.attention.output.dense`, square);
}
