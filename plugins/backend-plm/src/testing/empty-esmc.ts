import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Writes an ESM C of any size whose weights are all zero, as a file with a hole, which takes no disk. */
export function writeEmptyEsmc(
  folder: string,
  shape: { hidden: number; layers: number; heads: number; intermediate: number },
): void {
  const { hidden, layers, heads, intermediate } = shape;
  const config = {
    model_type: 'esmc',
    vocab_size: 64,
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: intermediate,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const header: Record<string, { dtype: string; shape: number[]; data_offsets: number[] }> = {};
  let next = 0;
  const add = (name: string, size: number[]) => {
    const begin = next;
    next += size.reduce((product, one) => product * one, 4);
    header[name] = { dtype: 'F32', shape: size, data_offsets: [begin, next] };
  };
  add('embed_tokens.weight', [64, hidden]);
  for (let layer = 0; layer < layers; layer++) {
    const name = `layers.${layer}`;
    for (const part of ['q', 'k', 'v', 'o']) add(`${name}.self_attn.${part}_proj.weight`, [hidden, hidden]);
    for (const part of ['q', 'k']) add(`${name}.self_attn.${part}_norm.weight`, [hidden]);
    for (const part of ['gate', 'up']) add(`${name}.mlp.${part}_proj.weight`, [intermediate, hidden]);
    add(`${name}.mlp.down_proj.weight`, [hidden, intermediate]);
    for (const part of ['input_layernorm', 'post_attention_layernorm'])
      for (const kind of ['weight', 'bias']) add(`${name}.${part}.${kind}`, [hidden]);
  }
  add('norm.weight', [hidden]);
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(BigInt(text.length));
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  writeSync(file, Buffer.concat([start, text]));
  ftruncateSync(file, 8 + text.length + next);
  closeSync(file);
}
