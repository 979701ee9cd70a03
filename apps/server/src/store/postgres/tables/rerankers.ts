import type { Generated } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface RerankerModelTable {
  id: Generated<string>;
  name: string;
  run_id: string;
  model_data: string | null;
  artifact_uri: string | null;
  model_sha256: string;
  model_bytes: number;
  objective: string;
  tree_count: number;
  feature_names: string[];
  feature_schema_sha: string;
  schema_sha_v2: string | null;
  category_values: Json;
  category: string | null;
  aspect: string | null;
  embedding_config_id: string | null;
  ontology_snapshot_id: string | null;
  dataset_id: string | null;
  producer_version: string | null;
  producer_git_sha: string | null;
  external_source: string | null;
  spec_yaml: string;
  run_json: Json;
  metrics: Json;
  feature_importance: Json;
  created_at: Generated<Timestamp>;
}
