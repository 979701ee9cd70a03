import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.js';

/** The configuration of the smallest published model. */
const published = {
  model_type: 'E1',
  vocab_size: 34,
  hidden_size: 768,
  num_hidden_layers: 20,
  num_attention_heads: 12,
  num_key_value_heads: 12,
  intermediate_size: 2304,
  gated_mlp: true,
  hidden_act: 'silu',
  rms_norm_eps: 1e-5,
  clip_qkv: 8,
  global_attention_every_n_layers: 3,
  max_num_sequences: 512,
  max_num_positions_within_seq: 8192,
  rope_theta_within_seq: 10_000,
  rope_theta_global: 500_000,
};
const parsed = (changes: object) => parseConfig(JSON.stringify({ ...published, ...changes }));

describe('the configuration of E1', () => {
  it('gives the shape, the two kinds of layers and the limits', () => {
    expect(parsed({})).toEqual({
      family: 'e1',
      vocabulary: 34,
      hidden: 768,
      layers: 20,
      heads: 12,
      intermediate: 2304,
      epsilon: 1e-5,
      maxTokens: 8192,
      rotaryBases: { within: 10_000, global: 500_000 },
      globalEvery: 3,
      clip: 8,
      maxSequences: 512,
    });
    expect(parsed({ clip_qkv: null, global_attention_every_n_layers: 0 })).toMatchObject({
      clip: null,
      globalEvery: null,
    });
    expect(parsed({ num_key_value_heads: null })).toEqual(parsed({}));
  });

  it.each([
    [{ hidden_act: 'gelu' }, /hidden_act of config\.json: only silu/],
    [{ gated_mlp: false }, /gated_mlp of config\.json: E1 whose feed-forward blocks are not gated/],
    [{ gated_mlp: undefined }, /gated_mlp of config\.json: E1 whose feed-forward blocks are not gated/],
    [{ num_key_value_heads: 4 }, /E1 whose heads share keys and values \(num_key_value_heads\)/],
    // The authors' program takes 8 if none are named, so the heads would share keys and values.
    [{ num_key_value_heads: undefined }, /E1 whose heads share keys and values/],
    [{ num_attention_heads: 7 }, /multiple of num_attention_heads/],
    [{ clip_qkv: -8 }, /clip_qkv of config\.json/],
    [{ rope_theta_global: 'large' }, /rope_theta_global of config\.json/],
    [{ intermediate_size: null }, /intermediate_size of config\.json/],
  ])('refuses %j in a sentence that names it', (changes, sentence) => {
    expect(() => parsed(changes)).toThrow(sentence);
  });
});
