import { badModel } from '../bad-model.js';
import type { TensorSpan, Weights } from './safetensors.js';

// ESM C is published in three layouts. The graph uses the names of transformers; the others are renamed here. If a tensor holds several
// stacked matrices, each is addressed as a part of the same file, and nothing is copied.

/** The names within a layer: [name in the file, names of the parts in order of their rows]. */
type LayerNames = Readonly<Record<string, readonly string[]>>;

const shared: LayerNames = {
  'attn.q_ln.weight': ['self_attn.q_norm.weight'],
  'attn.k_ln.weight': ['self_attn.k_norm.weight'],
  'attn.out_proj.weight': ['self_attn.o_proj.weight'],
};
const projections = ['self_attn.q_proj.weight', 'self_attn.k_proj.weight', 'self_attn.v_proj.weight'];
const gateAndUp = ['mlp.gate_proj.weight', 'mlp.up_proj.weight'];
/** The names in the authors' weights of December 2024. */
const sequential: LayerNames = {
  ...shared,
  'attn.layernorm_qkv.0.weight': ['input_layernorm.weight'],
  'attn.layernorm_qkv.0.bias': ['input_layernorm.bias'],
  'attn.layernorm_qkv.1.weight': projections,
  'ffn.0.weight': ['post_attention_layernorm.weight'],
  'ffn.0.bias': ['post_attention_layernorm.bias'],
  'ffn.1.weight': gateAndUp,
  'ffn.3.weight': ['mlp.down_proj.weight'],
};
/** The names in the layout that the authors' package has used and saved since 2026. */
const fused: LayerNames = {
  ...shared,
  'attn.layernorm_qkv.layer_norm_weight': ['input_layernorm.weight'],
  'attn.layernorm_qkv.layer_norm_bias': ['input_layernorm.bias'],
  'attn.layernorm_qkv.weight': projections,
  'ffn.layer_norm_weight': ['post_attention_layernorm.weight'],
  'ffn.layer_norm_bias': ['post_attention_layernorm.bias'],
  'ffn.fc1_weight': gateAndUp,
  'ffn.fc2_weight': ['mlp.down_proj.weight'],
};
const layerNames: LayerNames = { ...sequential, ...fused };
const rootNames: Readonly<Record<string, string>> = {
  'embed.weight': 'embed_tokens.weight',
  'transformer.norm.weight': 'norm.weight',
};

/**
 * Gives weights of ESM C the names of transformers, from any of the published layouts. Other tensors keep their names.
 * @throws ProblemError bad_file if a tensor cannot be divided into its parts
 */
export function esmcWeights(weights: Weights): Weights {
  const renamed = new Map<string, TensorSpan>();
  for (const [full, span] of weights) {
    const name = full.replace(/^esmc\./, '');
    const layer = /^transformer\.blocks\.(\d+)\.(.+)$/.exec(name);
    const parts = layer && Object.hasOwn(layerNames, layer[2]) ? layerNames[layer[2]] : null;
    if (parts) {
      rowParts(full, span, parts.length).forEach((part, i) => {
        renamed.set(`layers.${layer?.[1]}.${parts[i]}`, part);
      });
    } else renamed.set(Object.hasOwn(rootNames, name) ? rootNames[name] : name, span);
  }
  return renamed;
}

function rowParts(name: string, span: TensorSpan, count: number): TensorSpan[] {
  const [rows, ...rest] = span.shape;
  if (rows % count !== 0) throw badModel(`the tensor ${name} does not hold ${count} matrices of equal size`);
  const sizeBytes = span.sizeBytes / count;
  return Array.from({ length: count }, (_, part) => ({
    ...span,
    shape: [rows / count, ...rest],
    offsetBytes: span.offsetBytes + part * sizeBytes,
    sizeBytes,
  }));
}
