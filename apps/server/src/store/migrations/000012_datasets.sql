-- Frozen training datasets. A row is written when all three files are in the artifact store; it is what makes them visible.

create table dataset (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (length(name) between 1 and 255),
  job_id uuid unique,                  -- of the export; null for an import. The job may be deleted
  storage_backend text not null check (length(storage_backend) between 1 and 32),
  key_prefix text not null check (length(key_prefix) between 1 and 512),
  train_uri text,
  eval_uri text,
  manifest_uri text not null,
  schema_sha text not null check (length(schema_sha) between 1 and 16),
  manifest_sha char(64),
  train_row_count bigint not null check (train_row_count >= 0),
  eval_row_count bigint not null check (eval_row_count >= 0),
  k integer not null check (k > 0),
  annotation_source text not null,
  embedding_config_id uuid references embedding_config (id) on delete set null,
  ontology_snapshot_id uuid references ontology_snapshot (id) on delete set null,
  train_snapshot_pairs text[] not null default '{}',
  eval_snapshot_pair text,
  producer_version text,
  producer_git_sha text,
  meta jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);
create index dataset_created on dataset (created_at desc, id desc);
create index dataset_embedding_config on dataset (embedding_config_id, created_at desc, id desc);
create index dataset_ontology_snapshot on dataset (ontology_snapshot_id);
