// Makes language models of known shapes with random weights, arranged like the published files, and a realistic mix of lengths.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';

const vocabulary =
  '<cls> <pad> <eos> <unk> L A G V S E R T I D P K Q N F Y M H W C X B U Z O . - <null_1> <mask>'.split(' ');

export const shapes = {
  '8m': { hidden: 320, layers: 6, heads: 20 },
  '150m': { hidden: 640, layers: 30, heads: 20 },
  '650m': { hidden: 1280, layers: 33, heads: 20 },
};

/** The recipe takes the mean of the last layer over the residues. */
export const recipe = (model_name, changes = {}) =>
  completeRecipe({ model_name, model_backend: 'plm', normalize: false, ...changes });

/** Writes an ESM-2 of this shape into `folder` once, and returns its name. */
export function writeModel(folder, size) {
  const name = `esm2-${size}-shape`;
  const path = join(folder, name);
  if (existsSync(join(path, 'model.safetensors'))) return name;
  mkdirSync(path, { recursive: true });
  const { hidden, layers, heads } = shapes[size];
  const config = {
    architectures: ['EsmForMaskedLM'],
    model_type: 'esm',
    vocab_size: 33,
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: 4 * hidden,
    max_position_embeddings: 1026,
    position_embedding_type: 'rotary',
    emb_layer_norm_before: false,
    token_dropout: true,
    mask_token_id: 32,
    pad_token_id: 1,
    hidden_act: 'gelu',
    layer_norm_eps: 1e-5,
  };
  writeFileSync(join(path, 'config.json'), JSON.stringify(config));
  writeFileSync(join(path, 'vocab.txt'), vocabulary.join('\n'));
  writeWeights(join(path, 'model.safetensors'), tensorsOf(hidden, layers, heads));
  return name;
}

/**
 * Returns [name, shape, mean, spread], or [name, shape, numbers]. Weights are spread so that every layer keeps the size of its input. The
 * head is there because esm-cpp reads no model without one.
 */
function tensorsOf(hidden, layers, heads) {
  const linear = (name, output, input) => [
    [`${name}.weight`, [output, input], 0, 1 / Math.sqrt(input)],
    [`${name}.bias`, [output], 0, 0.02],
  ];
  const norm = (name) => [
    [`${name}.weight`, [hidden], 1, 0.1],
    [`${name}.bias`, [hidden], 0, 0.1],
  ];
  const rotary = hidden / heads / 2;
  const frequencies = Float32Array.from({ length: rotary }, (_, i) => 10_000 ** (-i / rotary));
  const layer = (name) => [
    [`${name}.attention.self.rotary_embeddings.inv_freq`, [rotary], frequencies],
    ...['query', 'key', 'value'].flatMap((part) => linear(`${name}.attention.self.${part}`, hidden, hidden)),
    ...linear(`${name}.attention.output.dense`, hidden, hidden),
    ...norm(`${name}.attention.LayerNorm`),
    ...linear(`${name}.intermediate.dense`, 4 * hidden, hidden),
    ...linear(`${name}.output.dense`, hidden, 4 * hidden),
    ...norm(`${name}.LayerNorm`),
  ];
  return [
    ['esm.embeddings.word_embeddings.weight', [33, hidden], 0, 1],
    ['esm.embeddings.position_embeddings.weight', [1026, hidden], 0, 1],
    ...Array.from({ length: layers }, (_, index) => layer(`esm.encoder.layer.${index}`)).flat(),
    ...norm('esm.encoder.emb_layer_norm_after'),
    ...linear('lm_head.dense', hidden, hidden),
    ...norm('lm_head.layer_norm'),
    ['lm_head.decoder.weight', [33, hidden], 0, 1],
    ['lm_head.bias', [33], 0, 0.02],
  ];
}

function writeWeights(path, tensors) {
  const header = {};
  let end = 0;
  for (const [name, shape] of tensors) {
    const bytes = shape.reduce((product, size) => product * size, 4);
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + bytes] };
    end += bytes;
  }
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(BigInt(text.length));
  const file = openSync(path, 'w');
  writeSync(file, start);
  writeSync(file, text);
  const random = generator(7);
  for (const [, shape, given, spread] of tensors) {
    const count = shape.reduce((product, size) => product * size, 1);
    // Draws uniform numbers of the given mean and standard deviation.
    const draw = () => given + spread * Math.sqrt(12) * (random() - 0.5);
    writeSync(file, typeof given === 'number' ? Float32Array.from({ length: count }, draw) : given);
  }
  closeSync(file);
}

/** Makes random numbers by mulberry32. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns `count` human proteins of the example set with at most `longest` residues, spread over the file. */
export function proteins(count, longest = 1022) {
  const file = fileURLToPath(new URL('../examples/reference.fasta.gz', import.meta.url));
  const all = gunzipSync(readFileSync(file))
    .toString()
    .split('>')
    .slice(1)
    .map((record) => record.slice(record.indexOf('\n')).replaceAll('\n', ''))
    .filter((sequence) => sequence.length <= longest);
  return Array.from({ length: count }, (_, i) => all[(i * 37) % all.length]);
}
