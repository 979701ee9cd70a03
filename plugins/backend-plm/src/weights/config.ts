import { z } from 'zod';
import { badModel } from '../bad-model.js';

interface Shape {
  vocabulary: number;
  hidden: number;
  layers: number;
  heads: number;
  intermediate: number;
  /** Added to the variance in normalisation. */
  epsilon: number;
}
/** ESM-1b and ESM-2: normalisation before each block. */
export interface EsmConfig extends Shape {
  family: 'esm';
  positions: 'rotary' | 'absolute';
  /** Maximum number of tokens with learned positions; null for rotary positions. */
  maxTokens: number | null;
  /** Learned positions start after this id. */
  padId: number;
  tokenDropout: boolean;
  normalisedEmbeddings: boolean;
}
/** BERT: normalisation after each block. */
export interface BertConfig extends Shape {
  family: 'bert';
  maxTokens: number;
}
/** The encoder of T5: root-mean-square normalisation, relative positions, no biases. */
export interface T5Config extends Shape {
  family: 't5';
  maxTokens: null;
  headSize: number;
  buckets: number;
  maxDistance: number;
  gated: boolean;
  activation: 'relu' | 'gelu' | 'gelu_new';
}
export type EncoderConfig = EsmConfig | BertConfig | T5Config;

const size = (largest: number) => z.int().min(1).max(largest);
const epsilon = z.number().positive().max(0.1);
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
const bertSchema = z.looseObject({
  ...bertLike,
  position_embedding_type: z.literal('absolute').default('absolute'),
});
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
  feed_forward_proj: z.enum(['relu', 'gelu', 'gated-gelu', 'gated-relu']).default('relu'),
});

/**
 * The shape of an encoder from the text of its config.json.
 * @throws ProblemError bad_file naming the field
 */
export function parseConfig(text: string): EncoderConfig {
  let config: Record<string, unknown>;
  try {
    config = z.looseObject({}).parse(JSON.parse(text));
  } catch {
    throw badModel('config.json is no JSON object');
  }
  switch (config.model_type) {
    case 'esm':
      return esmConfig(read(esmSchema, config));
    case 'bert':
      return bertConfig(read(bertSchema, config));
    case 't5':
      return t5Config(read(t5Schema, config));
    default:
      throw badModel(
        `config.json has the model_type ${JSON.stringify(config.model_type)}; esm, t5 and bert are known`,
      );
  }
}

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
    maxTokens: rotary ? null : config.max_position_embeddings - padId - 1,
    padId,
    tokenDropout: config.token_dropout,
    normalisedEmbeddings: config.emb_layer_norm_before ?? false,
  };
}

function bertConfig(config: z.output<typeof bertSchema>): BertConfig {
  return { family: 'bert', ...shapeOf(config), maxTokens: config.max_position_embeddings };
}

function t5Config(config: z.output<typeof t5Schema>): T5Config {
  const [activation, gated] = (
    {
      relu: ['relu', false],
      gelu: ['gelu', false],
      'gated-relu': ['relu', true],
      'gated-gelu': ['gelu_new', true],
    } as const
  )[config.feed_forward_proj];
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
