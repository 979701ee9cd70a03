import type { Generated, GeneratedAlways } from 'kysely';
import type { Timestamp } from './values.js';

export interface EmbeddingConfigTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  model_name: string;
  model_backend: string;
  layer_indices: number[];
  layer_agg: string;
  pooling: string;
  normalize_residues: boolean;
  normalize: boolean;
  max_length: number;
  use_chunking: boolean;
  chunk_size: number;
  chunk_overlap: number;
  dimension: number;
  display_name: string | null;
  family: string | null;
  param_count: number | null;
  description: string | null;
  created_at: Generated<Timestamp>;
}

export interface SequenceEmbeddingTable {
  embedding_config_number: number;
  sequence_id: number;
  chunk_index_s: Generated<number>;
  chunk_index_e: number | null;
  embedding: Buffer;
  created_at: Generated<Timestamp>;
}
