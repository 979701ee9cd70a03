import { describe, expect, it } from 'vitest';
import { esmcOfWeights, parseConfig } from './config.js';
import { esmcWeights } from './esmc-names.js';
import type { TensorSpan } from './safetensors.js';

const published = {
  model_type: 'esmc',
  vocab_size: 64,
  hidden_size: 960,
  num_hidden_layers: 30,
  num_attention_heads: 15,
  intermediate_size: 2560,
};
const parsed = (changes: object) => parseConfig(JSON.stringify({ ...published, ...changes }));

/** Places float32 tensors one after another. */
function tensors(shapes: Record<string, number[]>): Map<string, TensorSpan> {
  let next = 0;
  return new Map(
    Object.entries(shapes).map(([name, shape]) => {
      const sizeBytes = shape.reduce((product, size) => product * size, 4);
      const span: TensorSpan = { file: 'model', type: 'F32', shape, offsetBytes: next, sizeBytes };
      next += sizeBytes;
      return [name, span];
    }),
  );
}

describe('the configuration of ESM C', () => {
  it('takes the residual scaling from the depth, and the older names of fields', () => {
    const config = parsed({});
    expect(config).toMatchObject({ family: 'esmc', intermediate: 2560, rotaryBase: 10_000 });
    expect((config as { residualDivisor: number }).residualDivisor).toBeCloseTo(Math.sqrt(30 / 36), 12);
    const { vocab_size } = published;
    const older = { model_type: 'esmc', vocab_size, d_model: 960, n_heads: 15, n_layers: 30 };
    expect(parseConfig(JSON.stringify(older))).toEqual(config);
  });

  it.each([
    [{ hidden_act: 'gelu' }, /hidden_act of config\.json: only silu/],
    [{ rope_parameters: { rope_type: 'yarn' } }, /rope_parameters\.rope_type of config\.json: only rotary/],
    [{ num_key_value_heads: 5 }, /share keys and values/],
    [{ head_dim: 32 }, /head_dim of config\.json is not/],
    [{ num_attention_heads: 7 }, /multiple of num_attention_heads/],
    [{ scale_residue: false }, /without scaled residuals/],
  ])('refuses %j in a sentence that names it', (changes, sentence) => {
    expect(() => parsed(changes)).toThrow(sentence);
  });
});

describe('layouts of ESM C', () => {
  const layer = {
    'attn.q_ln.weight': [4],
    'attn.out_proj.weight': [4, 4],
    'attn.layernorm_qkv.layer_norm_weight': [4],
    'attn.layernorm_qkv.weight': [12, 4],
    'ffn.fc1_weight': [16, 4],
    'ffn.fc2_weight': [4, 8],
  };

  it('finds the matrices that one tensor holds below each other', () => {
    const inLayer = Object.entries(layer).map(([name, shape]) => [
      `esmc.transformer.blocks.1.${name}`,
      shape,
    ]);
    const weights = tensors({ 'esmc.embed.weight': [64, 4], ...Object.fromEntries(inLayer) });
    const found = esmcWeights(weights);
    expect([...found.keys()]).toEqual([
      'embed_tokens.weight',
      'layers.1.self_attn.q_norm.weight',
      'layers.1.self_attn.o_proj.weight',
      'layers.1.input_layernorm.weight',
      ...['q', 'k', 'v'].map((part) => `layers.1.self_attn.${part}_proj.weight`),
      'layers.1.mlp.gate_proj.weight',
      'layers.1.mlp.up_proj.weight',
      'layers.1.mlp.down_proj.weight',
    ]);
    const whole = weights.get('esmc.transformer.blocks.1.attn.layernorm_qkv.weight') as TensorSpan;
    expect(found.get('layers.1.self_attn.v_proj.weight')).toEqual({
      ...whole,
      shape: [4, 4],
      offsetBytes: whole.offsetBytes + 2 * 64,
      sizeBytes: 64,
    });
    const odd = tensors({ 'transformer.blocks.0.ffn.fc1_weight': [7, 4] });
    expect(() => esmcWeights(odd)).toThrow(/ffn\.fc1_weight does not hold 2 matrices/);
  });

  it('has the shape of the published models where no file says it', () => {
    const weights = tensors({
      'embed.weight': [64, 1152],
      'transformer.blocks.0.attn.layernorm_qkv.0.weight': [1152],
      'transformer.blocks.1.attn.layernorm_qkv.0.weight': [1152],
      'transformer.blocks.0.ffn.3.weight': [1152, 3072],
    });
    expect(esmcOfWeights('{}', esmcWeights(weights))).toMatchObject({
      heads: 18,
      layers: 2,
      intermediate: 3072,
      vocabulary: 64,
    });
    expect(() => esmcOfWeights('{}', new Map())).toThrow(/no tensor embed\.weight/);
  });
});
