-- Registered boosters. The model lies in the artifact store; the row says what it was trained on.

create table reranker_model (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (length(name) between 1 and 255),
  run_id text not null check (length(run_id) between 1 and 200),
  model_data text,                     -- a booster kept inline; null where artifact_uri is given
  artifact_uri text check (length(artifact_uri) between 1 and 512),
  model_sha256 char(64) not null,
  model_bytes integer not null check (model_bytes > 0),
  objective text not null,
  tree_count integer not null check (tree_count > 0),
  feature_names text[] not null,       -- as the model orders them
  feature_schema_sha text not null check (length(feature_schema_sha) between 1 and 16),
  schema_sha_v2 text check (length(schema_sha_v2) = 16),
  category_values jsonb not null,      -- feature -> values in the order of their codes
  category text check (category in ('nk', 'lk', 'pk')),
  aspect char(1) check (aspect in ('P', 'F', 'C')),
  embedding_config_id uuid references embedding_config (id) on delete set null,
  ontology_snapshot_id uuid references ontology_snapshot (id) on delete set null,
  dataset_id uuid references dataset (id) on delete set null,
  producer_version text check (length(producer_version) <= 64),
  producer_git_sha text check (length(producer_git_sha) <= 40),
  external_source text check (length(external_source) <= 500),
  spec_yaml text not null,
  run_json jsonb not null,
  metrics jsonb not null,
  feature_importance jsonb not null,   -- feature -> number
  created_at timestamptz not null default clock_timestamp(),
  check ((model_data is null) <> (artifact_uri is null))
);
create index reranker_model_created on reranker_model (created_at desc, id desc);
create index reranker_model_artifact on reranker_model (artifact_uri);
create index reranker_model_embedding_config on reranker_model (embedding_config_id);
create index reranker_model_ontology_snapshot on reranker_model (ontology_snapshot_id);
create index reranker_model_dataset on reranker_model (dataset_id);
