import { z } from 'zod';
import { badModel } from '../bad-model.js';
import type { Weights } from './safetensors.js';

interface Shape {
  vocabulary: number;
  hidden: number;
  layers: number;
  heads: number;
  intermediate: number;
  /** The number that is added to the variance in normalisation. */
  epsilon: number;
}
/** The shape of ESM-1b and ESM-2, which normalise before each block. */
export interface EsmConfig extends Shape {
  family: 'esm';
  positions: 'rotary' | 'absolute';
  rotaryBase: number;
  /** The maximum number of tokens with learned positions; null for rotary positions. */
  maxTokens: number | null;
  /** The id of padding; learned positions start after it. */
  padId: number;
  tokenDropout: boolean;
  normalisedEmbeddings: boolean;
}
/** The shape of ESM C, which has normalised queries and keys, gated feed-forward blocks and scaled residuals. */
export interface EsmcConfig extends Shape {
  family: 'esmc';
  positions: 'rotary';
  rotaryBase: number;
  maxTokens: null;
  attentionBias: boolean;
  feedForwardBias: boolean;
  /** The divisor of the result of each block before it is added. */
  residualDivisor: number;
}
/**
 * The shape of E1 for one sequence at a time. E1 has root-mean-square normalisation before each block, limited queries, keys and values,
 * gated feed-forward blocks and no biases. Its layers differ only in the base of their rotary positions.
 */
export interface E1Config extends Shape {
  family: 'e1';
  /** The maximum number of tokens of a sequence. */
  maxTokens: number;
  /** The bases of the layers within a sequence, and of the global layers, which also see the sequences before it. */
  rotaryBases: { within: number; global: number };
  /** The distance of global layers: every n-th layer is one; null means none. */
  globalEvery: number | null;
  /** The largest absolute value of a query, key or value; null means no limit. */
  clip: number | null;
  /** The number of rows of the table that distinguishes sequences. A sequence alone is the first one. */
  maxSequences: number;
}
/** The shape of BERT, which normalises after each block. */
export interface BertConfig extends Shape {
  family: 'bert';
  maxTokens: number;
}
/** The shape of T5's encoder, which has root-mean-square normalisation, relative positions and no biases. */
export interface T5Config extends Shape {
  family: 't5';
  maxTokens: null;
  headSize: number;
  buckets: number;
  maxDistance: number;
  gated: boolean;
  activation: T5Activation;
}
export type T5Activation = 'relu' | 'gelu' | 'gelu_new' | 'silu';
export type EncoderConfig = EsmConfig | EsmcConfig | E1Config | BertConfig | T5Config;

const size = (largest: number) => z.int().min(1).max(largest);
const epsilon = z.number().positive().max(0.1);
const rotaryBase = z.number().min(1).max(1e9);
const bertLike = {
  vocab_size: size(1_000_000),
  hidden_size: size(65_536),
  num_hidden_layers: size(1000),
  num_attention_heads: size(1024),
  intermediate_size: size(1_000_000),
  max_position_embeddings: size(1_000_000),
  hidden_act: z.literal('gelu', 'only gelu is known here').default('gelu'),
  layer_norm_eps: epsilon.default(1e-12),
  pad_token_id: z.int().min(0).max(1_000_000).nullish(),
  position_embedding_type: z.string().default('absolute'),
};
const esmSchema = z.looseObject({
  ...bertLike,
  position_embedding_type: z.enum(['rotary', 'absolute']).default('absolute'),
  token_dropout: z.boolean().default(false),
  emb_layer_norm_before: z.boolean().nullish(),
  is_folding_model: z.literal(false, 'structure prediction models are not read').nullish(),
});
const esmcSchema = z.looseObject({
  vocab_size: size(1_000_000),
  hidden_size: size(65_536),
  num_hidden_layers: size(1000),
  num_attention_heads: size(1024),
  intermediate_size: size(1_000_000).nullish(),
  num_key_value_heads: size(1024).nullish(),
  head_dim: size(65_536).nullish(),
  hidden_act: z.literal('silu', 'only silu is known here').default('silu'),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  scale_residue: z.literal(true, 'ESM C without scaled residuals is not supported').nullish(),
  rope_theta: rotaryBase.nullish(),
  rope_parameters: z
    .looseObject({
      rope_type: z.literal('default', 'only rotary positions of the type default are known here').nullish(),
      rope_theta: rotaryBase.nullish(),
    })
    .nullish(),
});
/** The schema of E1, whose defaults are those of the authors' program. */
const e1Schema = z.looseObject({
  vocab_size: size(1_000_000),
  hidden_size: size(65_536),
  num_hidden_layers: size(1000),
  num_attention_heads: size(1024),
  num_key_value_heads: size(1024).nullable().default(8),
  intermediate_size: size(1_000_000),
  gated_mlp: z.literal(true, 'E1 whose feed-forward blocks are not gated is not supported'),
  hidden_act: z.literal('silu', 'only silu is known here').default('silu'),
  rms_norm_eps: epsilon.default(1e-5),
  clip_qkv: z.number().positive().nullish(),
  global_attention_every_n_layers: z.int().min(0).max(1000).default(0),
  rope_theta_within_seq: rotaryBase.default(10_000),
  rope_theta_global: rotaryBase.default(100_000),
  max_num_sequences: size(1_000_000).default(512),
  max_num_positions_within_seq: size(1_000_000).default(8192),
});
const bertSchema = z.looseObject({
  ...bertLike,
  position_embedding_type: z.literal('absolute').default('absolute'),
});
/** The values of feed_forward_proj: the activation, and whether a second product gates it. The gated gelu is the tanh approximation. */
const feedForwards = {
  relu: ['relu', false],
  gelu: ['gelu', false],
  silu: ['silu', false],
  'gated-relu': ['relu', true],
  'gated-gelu': ['gelu_new', true],
  'gated-silu': ['silu', true],
} as const satisfies Record<string, readonly [T5Activation, boolean]>;
type FeedForward = keyof typeof feedForwards;

const t5Schema = z.looseObject({
  vocab_size: size(1_000_000),
  d_model: size(65_536),
  d_kv: size(4096),
  d_ff: size(1_000_000),
  num_layers: size(1000),
  num_heads: size(1024),
  relative_attention_num_buckets: size(10_000).default(32),
  relative_attention_max_distance: size(1_000_000).default(128),
  layer_norm_epsilon: epsilon.default(1e-6),
  feed_forward_proj: z.enum(Object.keys(feedForwards) as FeedForward[]).default('relu'),
});

/**
 * Reads the shape of an encoder from the text of its config.json.
 * @throws ProblemError bad_file, which names the field
 */
export function parseConfig(text: string): EncoderConfig {
  const config = jsonObject(text);
  switch (config.model_type) {
    case 'esm':
      return esmConfig(read(esmSchema, config));
    case 'esmc':
      return esmcConfig(read(esmcSchema, currentNames(config)));
    case 'E1':
      return e1Config(read(e1Schema, config));
    case 'bert':
      return bertConfig(read(bertSchema, config));
    case 't5':
      return t5Config(read(t5Schema, config));
    default:
      throw badModel(
        `config.json has the model_type ${JSON.stringify(config.model_type)}, an architecture that is not read here; ${familyList} are known`,
      );
  }
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    return z.looseObject({}).parse(JSON.parse(text));
  } catch {
    throw badModel('config.json is not a JSON object');
  }
}

const familyList = 'esm, esmc, E1, t5 and bert';

function read<T>(schema: z.ZodType<T>, config: unknown): T {
  const parsed = schema.safeParse(config);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw badModel(`${path.join('.')} of config.json: ${message}`);
}

function shapeOf(config: z.output<typeof bertSchema> | z.output<typeof esmSchema>): Shape {
  if (config.hidden_size % config.num_attention_heads !== 0)
    throw badModel('hidden_size of config.json is not a multiple of num_attention_heads');
  return {
    vocabulary: config.vocab_size,
    hidden: config.hidden_size,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    intermediate: config.intermediate_size,
    epsilon: config.layer_norm_eps,
  };
}

function esmConfig(config: z.output<typeof esmSchema>): EsmConfig {
  const padId = config.pad_token_id ?? 1;
  const rotary = config.position_embedding_type === 'rotary';
  if (rotary && (config.hidden_size / config.num_attention_heads) % 2 !== 0)
    throw badModel('rotary positions need heads of an even size');
  return {
    family: 'esm',
    ...shapeOf(config),
    positions: config.position_embedding_type,
    rotaryBase: 10_000,
    maxTokens: rotary ? null : config.max_position_embeddings - padId - 1,
    padId,
    tokenDropout: config.token_dropout,
    normalisedEmbeddings: config.emb_layer_norm_before ?? false,
  };
}

/** Gives fields their current names, because some files are older than the support of ESM C in transformers. */
function currentNames(config: Record<string, unknown>): Record<string, unknown> {
  const { d_model, n_heads, n_layers } = config;
  return {
    ...(d_model === undefined ? {} : { hidden_size: d_model }),
    ...(n_heads === undefined ? {} : { num_attention_heads: n_heads }),
    ...(n_layers === undefined ? {} : { num_hidden_layers: n_layers }),
    ...config,
  };
}

/**
 * Returns the width of the feed-forward block of ESM C if no file gives it: 8/3 of the model's width, rounded up to a multiple of 256.
 */
const esmcIntermediate = (hidden: number) => Math.floor(((8 / 3) * hidden + 255) / 256) * 256;

/** Checks the heads: rotary positions need heads of an even size, and each head must have keys and values of its own. */
function checkHeads(
  name: string,
  {
    hidden_size: hidden,
    num_attention_heads: heads,
    num_key_value_heads: keyHeads,
  }: Pick<z.output<typeof esmcSchema>, 'hidden_size' | 'num_attention_heads' | 'num_key_value_heads'>,
): void {
  if (hidden % heads !== 0 || (hidden / heads) % 2 !== 0)
    throw badModel(
      'hidden_size of config.json must be a multiple of num_attention_heads, with heads of an even size',
    );
  if ((keyHeads ?? heads) !== heads)
    throw badModel(`${name} whose heads share keys and values (num_key_value_heads) is not supported`);
}

function esmcConfig(config: z.output<typeof esmcSchema>): EsmcConfig {
  const { hidden_size: hidden, num_attention_heads: heads, num_hidden_layers: layers } = config;
  checkHeads('ESM C', config);
  if ((config.head_dim ?? hidden / heads) !== hidden / heads)
    throw badModel('head_dim of config.json is not hidden_size divided by num_attention_heads');
  return {
    family: 'esmc',
    vocabulary: config.vocab_size,
    hidden,
    layers,
    heads,
    intermediate: config.intermediate_size ?? esmcIntermediate(hidden),
    epsilon: 1e-5,
    positions: 'rotary',
    rotaryBase: config.rope_parameters?.rope_theta ?? config.rope_theta ?? 10_000,
    maxTokens: null,
    attentionBias: config.attention_bias,
    feedForwardBias: config.mlp_bias,
    residualDivisor: Math.sqrt(layers / 36),
  };
}

/** The size of a head in all published ESM C. */
const esmcHeadSize = 64;

/**
 * Finds the shape of an ESM C from its weights, under the names of transformers. The weights do not show the number of heads, which comes
 * from `text` (a config.json or {}), or from the head size of the published models.
 * @throws ProblemError bad_file
 */
export function esmcOfWeights(text: string, weights: Weights): EsmcConfig {
  const [vocabulary, hidden] = weights.get('embed_tokens.weight')?.shape ?? [];
  if (hidden === undefined) throw badModel('the weights have no tensor embed.weight, as ESM C has');
  const layers = [...weights.keys()].filter((name) => /^layers\.\d+\.input_layernorm\.weight$/.test(name));
  return esmcConfig(
    read(esmcSchema, {
      num_attention_heads: hidden / esmcHeadSize,
      ...currentNames(jsonObject(text)),
      vocab_size: vocabulary,
      hidden_size: hidden,
      num_hidden_layers: layers.length,
      intermediate_size: weights.get('layers.0.mlp.down_proj.weight')?.shape[1],
    }),
  );
}

function e1Config(config: z.output<typeof e1Schema>): E1Config {
  checkHeads('E1', config);
  return {
    family: 'e1',
    vocabulary: config.vocab_size,
    hidden: config.hidden_size,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    intermediate: config.intermediate_size,
    epsilon: config.rms_norm_eps,
    maxTokens: config.max_num_positions_within_seq,
    rotaryBases: { within: config.rope_theta_within_seq, global: config.rope_theta_global },
    globalEvery: config.global_attention_every_n_layers || null,
    clip: config.clip_qkv ?? null,
    maxSequences: config.max_num_sequences,
  };
}

function bertConfig(config: z.output<typeof bertSchema>): BertConfig {
  return { family: 'bert', ...shapeOf(config), maxTokens: config.max_position_embeddings };
}

function t5Config(config: z.output<typeof t5Schema>): T5Config {
  const [activation, gated] = feedForwards[config.feed_forward_proj];
  return {
    family: 't5',
    vocabulary: config.vocab_size,
    hidden: config.d_model,
    layers: config.num_layers,
    heads: config.num_heads,
    intermediate: config.d_ff,
    epsilon: config.layer_norm_epsilon,
    maxTokens: null,
    headSize: config.d_kv,
    buckets: config.relative_attention_num_buckets,
    maxDistance: config.relative_attention_max_distance,
    gated,
    activation,
  };
}
