import type { Generated } from 'kysely';
import type { Timestamp } from './values.js';

export interface EmbeddingProjectionTable {
  embedding_config_number: number;
  sampled_sequences: number;
  axes: number;
  mean: Buffer;
  components: Buffer;
  content_sha256: string;
  created_at: Generated<Timestamp>;
}
