import type { Generated } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface DatasetTable {
  id: Generated<string>;
  name: string;
  job_id: string | null;
  storage_backend: string;
  key_prefix: string;
  train_uri: string | null;
  eval_uri: string | null;
  manifest_uri: string;
  schema_sha: string;
  manifest_sha: string | null;
  train_row_count: number;
  eval_row_count: number;
  k: number;
  annotation_source: string;
  embedding_config_id: string | null;
  ontology_snapshot_id: string | null;
  train_snapshot_pairs: string[];
  eval_snapshot_pair: string | null;
  producer_version: string | null;
  producer_git_sha: string | null;
  meta: Generated<Json>;
  created_at: Generated<Timestamp>;
}

export interface ExperimentRunTable {
  id: Generated<string>;
  name: string;
  description: string | null;
  hypothesis: string | null;
  findings: string | null;
  status: Generated<string>;
  config: Generated<Json>;
  provenance: Generated<Json>;
  tags: Generated<string[]>;
  owner_user_id: string | null;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}

export interface ExperimentRunMemberTable {
  experiment_run_id: string;
  kind: string;
  member_id: string;
  attached_at: Generated<Timestamp>;
}
