-- Embedding configurations, vectors, query sets, predictions.

create table embedding_config (
  id uuid primary key default gen_random_uuid(),
  number integer generated always as identity unique,
  model_name text not null,
  model_backend text not null,
  layer_indices integer[] not null,
  layer_agg text not null check (layer_agg in ('mean', 'last', 'concat')),
  pooling text not null check (pooling in ('mean', 'max', 'cls', 'mean_max')),
  normalize_residues boolean not null,
  normalize boolean not null,
  max_length integer not null,
  use_chunking boolean not null,
  chunk_size integer not null,
  chunk_overlap integer not null,
  dimension integer not null,
  display_name text,
  family text,
  param_count bigint,
  description text,
  created_at timestamptz not null default clock_timestamp()
);
create index embedding_config_created on embedding_config (created_at desc, id desc);

-- Vectors are float16, little-endian, row by row. They don't compress, so they are stored plain.
create table sequence_embedding (
  embedding_config_number integer not null references embedding_config (number),
  sequence_id bigint not null references sequence (id) on delete cascade,
  chunk_index_s integer not null default 0,
  chunk_index_e integer,
  embedding bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (embedding_config_number, sequence_id, chunk_index_s)
);
alter table sequence_embedding alter column embedding set storage external;
create index sequence_embedding_sequence on sequence_embedding (sequence_id);

create table query_set (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  description text,
  entry_count integer not null,
  owner_user_id uuid,
  listed boolean not null default true,
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index query_set_created on query_set (created_at desc, id desc) where listed;
create index query_set_expires on query_set (expires_at) where expires_at is not null;

create table query_set_entry (
  id bigint generated always as identity primary key,
  query_set_id uuid not null references query_set (id) on delete cascade,
  position integer not null,           -- order in the uploaded file, from 0
  header text not null,                -- without the '>', byte for byte
  accession text not null,
  taxonomy_id integer,
  sequence_id bigint not null references sequence (id),
  unique (query_set_id, accession),
  unique (query_set_id, position)
);
create index query_set_entry_sequence on query_set_entry (sequence_id);

create table prediction_set (
  id uuid primary key default gen_random_uuid(),
  number integer generated always as identity unique,
  job_id uuid,
  embedding_config_id uuid not null references embedding_config (id),
  annotation_set_id uuid not null references annotation_set (id),
  ontology_snapshot_id uuid not null references ontology_snapshot (id),
  query_set_id uuid references query_set (id) on delete set null,
  limit_per_entry integer not null,
  distance_threshold double precision,
  metric text not null default 'cosine' check (metric in ('cosine', 'l2')),
  parameters jsonb not null default '{}',
  prediction_count bigint not null default 0,
  protein_count bigint not null default 0,
  owner_user_id uuid,
  listed boolean not null default true,
  expires_at timestamptz,
  meta jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);
create index prediction_set_created on prediction_set (created_at desc, id desc) where listed;
create index prediction_set_annotation_set on prediction_set (annotation_set_id);
create index prediction_set_config on prediction_set (embedding_config_id);
create index prediction_set_snapshot on prediction_set (ontology_snapshot_id);
create unique index prediction_set_job on prediction_set (job_id) where job_id is not null;
create index prediction_set_query_set on prediction_set (query_set_id);
create index prediction_set_expires on prediction_set (expires_at) where expires_at is not null;

-- One row per (query, term, reference). A batch is written in one transaction with its ledger row, so the
-- rows need no unique index to be there once.
create table go_prediction (
  prediction_set_number integer not null,
  protein_accession text not null,
  go_term_id integer not null,
  ref_protein_accession text not null,
  distance real not null,
  score real not null,                 -- of the (query, term) pair: that of its nearest donor
  term_rank integer not null,          -- place of the pair among those of its query, from 1: score, votes, GO id
  is_nearest boolean not null,         -- this reference is the nearest donor of the pair
  qualifier text,
  evidence_code text,
  identity_nw real, similarity_nw real, alignment_score_nw real, gaps_pct_nw real, alignment_length_nw real,
  identity_sw real, similarity_sw real, alignment_score_sw real, gaps_pct_sw real, alignment_length_sw real,
  length_query integer, length_ref integer,
  query_taxonomy_id integer, ref_taxonomy_id integer,
  taxonomic_lca integer, taxonomic_distance integer, taxonomic_common_ancestors integer, taxonomic_relation text,
  vote_count integer, k_position integer, go_term_frequency integer, ref_annotation_density integer,
  neighbor_distance_std real, neighbor_vote_fraction real,
  predictions_jsonb jsonb
);
create index go_prediction_protein on go_prediction (prediction_set_number, protein_accession, go_term_id);

-- What was predicted for each query, also when that is nothing: lists and counts need no scan of go_prediction.
create table prediction_set_protein (
  prediction_set_number integer not null,
  protein_accession text not null,
  sequence_id bigint not null,
  term_count integer not null,
  prediction_count integer not null,
  min_distance real,
  primary key (prediction_set_number, protein_accession)
);
-- Downloads walk the queries in byte order.
create index prediction_set_protein_order on prediction_set_protein (prediction_set_number, protein_accession collate "C");
