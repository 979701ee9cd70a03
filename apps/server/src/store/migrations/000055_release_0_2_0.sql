--! release 0.2.0
--! replaces 000001_catalogue.sql d7bd2d7b72a2d7cfb88b1f56166a9ef3a86440e3673eb8fadc45264fe6af9722
--! replaces 000002_predictions.sql 95f26774411bcf9e0215121798f16ead3ca25761a5a03404b0dfbd5cd1909cc5
--! replaces 000003_jobs.sql 2079c97dff0a0bff3d62e47f3cd2b26adc6a8809cec0e76402088eaa871d398e
--! replaces 000004_accounts.sql d19caff264e4d4188d0b98c64eaf5c86d6d7ee17fe316b28a533f07c690d8135
--! replaces 000005_daily_salt.sql 021bd4e3ec5720f38b7515ef6d840ca81ea9b949573f8af2378226d3bde52d5f
--! replaces 000006_taxonomy.sql cfda03547896948afff10401e09e11bf559eb7f2d0d8f3dc1efb97acd4abe94f
--! replaces 000007_mail_and_visits.sql 9d15cce86d79c1ebc0466ae72196c6d43a94f4d094a9864833c2119139dc3ec9
--! replaces 000008_prediction_features.sql d6d64a653b63f32cfc88d8723a76ff310a9a0ef32d2265b973c0a852b7f24207
--! replaces 000009_scoring_configs.sql 2c3e75a95c574094fe84590e2fe0c3725c7153366463a7cc34b17b138d43d96c
--! replaces 000010_evaluation.sql 5e76d0a4833b9eef6e9d2dd367c2b57c1f0b7c0868da8d5ea3234a6b76ba3ee4
--! replaces 000012_datasets.sql 9710c62790d9707942062c6ca0ec9815b1bb6c4e2ba294efa8c646ccdc2f9ccf
--! replaces 000013_experiment_runs.sql 0b9940026ab304c10e08ec23788e67972e02544c16757c57f5da1c8c0c688f28
--! replaces 000014_reranker_models.sql f454c8305b67ea5025755a028d39cef3e39798487e8350f35c7ced5d79f5a9b1
--! replaces 000015_support.sql 65eb83ba807a8eb72a91259c4aa858eda5b472a553ea923ed56fbe717be4f535
--! replaces 000016_baselines.sql 5168167a4a6ff2a9059973d6307cd47c4e95208305f9dc9d6cb5fb34839832a0
--! replaces 000017_interpro.sql 3dccd3f24371c021bb769c437afd0a1b4161a3f3d2645721065787cc902c14de
--! replaces 000018_source_checkpoint.sql c5d3fd8430ee417643e3fb879e2b487bf3b7428da0d72cf93b476801ebc34fb7
--! replaces 000019_features_once.sql 8d4923186e10fa1bbec00a882cc183270085b3488ff2d1960d9eac3f10b25c3c
--! replaces 000020_prediction_sources.sql 72b666448e979907b174117640419fc2f120bd87f552e6cc5109df39380ddf45
--! replaces 000021_probability.sql 029029f86f7afe830af7a150da83bb807a2a28a98ef56d69874509f00fa2f501 compatible
--! replaces 000022_visibility.sql 56e2039e56c617ec30b1e545bdc9b824cfc7311498b867459304604ad42cfa21 compatible
--! replaces 000023_logins.sql 9228c2fc8c045ac77c6d73a2b2b375ec224072753749f66421d88cf18e0a919a compatible
--! replaces 000025_set_status.sql 6173ac0e97abd755dcccac11ee73a5d68ee3ab4274efe357cb9a1bfff1627ed9 compatible
--! replaces 000026_worker_metrics.sql 56c1f7c1ae1bf0c38dc8bb06523276126f55d1c969096894de0c5b991fb71b17 compatible
--! replaces 000028_newest_annotation.sql 3eb75613590a4e7cda7a3ad8552546048c7453528f7193049a60e32d5844b1eb compatible
--! replaces 000031_answers.sql 6b7703d84cddcbd55973506ec8afd5642029195bda639504de371d9355272f0b compatible
--! replaces 000032_annotate_reference.sql ea975d40515b942c8a42bb1666187cad55e8810b39992b46478f152657db5619 compatible
--! replaces 000033_taxon_constraints.sql 0888dfbbea07bb4b8785bd1d158558901e3ae92b2e452245e9e4e9a2cf035037 compatible
--! replaces 000035_calibration.sql d969c2268b295d474d5c4cb9dff3edae991aa4f58e48f21f01780fa1cffccf48 compatible
--! replaces 000040_protein_search.sql 985ef779488e22c5f421884a9929a8b5c83ac6269377b971b9fed8b7e16223b1 compatible
--! replaces 000044_references.sql 386667915d0028a8b7ba1663de38304f90ecebbb2283c31eb1174a9e2e3f9be6 compatible
--! replaces 000054_worker_state.sql ee347f918abfa3089b69c2b2f98eb9e8a1679489566d0fd02ea42689d95604af compatible
--! replaces 000055_retention.sql 1df21c20f0a525e2bc3b63059ebe3b7d7a42f4ea76a94cc33444ddf0b00635d9 compatible
-- The schema of release 0.2.0: what the migrations above made of a database, each named with its SHA-256.

-- Sequences, proteins, ontology, annotations: the catalogue that predictions are made from.

create table sequence (
  id bigint generated always as identity primary key,
  sequence text not null,
  sequence_md5 char(32) not null unique,
  length integer not null,
  created_at timestamptz not null default clock_timestamp()
);

create table protein (
  id integer generated always as identity primary key,
  accession text not null unique,
  canonical_accession text not null,
  isoform_index integer,
  entry_name text,
  reviewed boolean,
  protein_name text,
  gene_name text,
  organism text,
  taxonomy_id integer,
  length integer not null,
  sequence_id bigint not null references sequence (id),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index protein_canonical_accession on protein (canonical_accession);
create index protein_sequence_id on protein (sequence_id);
create index protein_organism on protein (organism, accession);
create index protein_taxonomy_id on protein (taxonomy_id, accession);
create index protein_reviewed on protein (reviewed, accession);

create table protein_metadata (
  canonical_accession text primary key,
  absorption text, active_site text, binding_site text, catalytic_activity text, cofactor text, dna_binding text,
  ec_number text, activity_regulation text, function_cc text, pathway text, kinetics text, ph_dependence text,
  redox_potential text, rhea_id text, site text, temperature_dependence text, keywords text, features text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

create table ontology_snapshot (
  id uuid primary key default gen_random_uuid(),
  obo_version text not null unique,
  obo_url text not null,
  obo_sha256 char(64) not null,
  ia_url text,
  term_counts jsonb not null,          -- {"P": n, "F": n, "C": n, "obsolete": n}
  relationship_count bigint not null,
  alt_id_count bigint not null,
  loaded_at timestamptz not null default clock_timestamp()
);

create table go_term (
  id integer generated always as identity primary key,
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  go_id text not null,
  name text not null,
  aspect char(1) not null check (aspect in ('P', 'F', 'C')),
  definition text,
  is_obsolete boolean not null default false,
  replaced_by text[] not null default '{}',
  unique (ontology_snapshot_id, go_id)
);

create table go_term_relationship (
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  child_go_term_id integer not null references go_term (id) on delete cascade,
  parent_go_term_id integer not null references go_term (id) on delete cascade,
  relation_type text not null,
  primary key (child_go_term_id, parent_go_term_id, relation_type)
);
create index go_term_relationship_snapshot on go_term_relationship (ontology_snapshot_id);
create index go_term_relationship_parent on go_term_relationship (parent_go_term_id);

create table go_term_alt_id (
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  alt_id text not null,
  go_term_id integer not null references go_term (id) on delete cascade,
  primary key (ontology_snapshot_id, alt_id)
);
create index go_term_alt_id_term on go_term_alt_id (go_term_id);

-- `number` is the small key that the large tables carry instead of the UUID.
create table annotation_set (
  id uuid primary key default gen_random_uuid(),
  number integer generated always as identity unique,
  source text not null check (source in ('goa', 'quickgo', 'reference')),
  source_version text not null,
  ontology_snapshot_id uuid not null references ontology_snapshot (id),
  content_sha256 char(64),             -- known once the load is complete
  state text not null default 'loading' check (state in ('loading', 'complete')),
  job_id uuid,
  annotation_count bigint not null default 0,
  protein_count bigint not null default 0,
  statistics jsonb not null default '{}',
  meta jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  newest_annotation_date text          -- of its rows, YYYY-MM-DD: which of two releases is the newer; null: the source has no dates
);
create index annotation_set_created on annotation_set (created_at desc, id desc);
create index annotation_set_snapshot on annotation_set (ontology_snapshot_id);

-- One partition per annotation set: a set is filled while it is detached, attached when it is whole, and dropped at once.
create table protein_go_annotation (
  annotation_set_number integer not null,
  protein_id integer not null,
  go_term_id integer not null,
  qualifier text,
  evidence_code text not null,
  assigned_by text,
  db_reference text,
  with_from text,
  annotation_date text                 -- YYYYMMDD, verbatim
) partition by list (annotation_set_number);
create index protein_go_annotation_protein on protein_go_annotation (protein_id);

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
  created_at timestamptz not null default clock_timestamp(),
  -- Who finds it in a list. link: its owner, operators and administrators; whoever has the id may still read it.
  -- listed: everyone. Rows that say nothing are not shown to everyone.
  visibility text not null default 'link' check (visibility in ('link', 'listed'))
);
create index query_set_created on query_set (created_at desc, id desc) where listed;
create index query_set_visible on query_set (created_at desc, id desc) where listed and visibility = 'listed';
create index query_set_owner on query_set (owner_user_id, created_at desc, id desc) where listed;
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
  embedding_config_id uuid references embedding_config (id),  -- null: made without neighbours
  annotation_set_id uuid references annotation_set (id),      -- null: made without annotated donors
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
  created_at timestamptz not null default clock_timestamp(),
  method text not null default 'knn',
  visibility text not null default 'link' check (visibility in ('link', 'listed')),
  -- filling: its job runs. complete: all queries are in. incomplete: the job failed or was cancelled, and what it had stored remains.
  status text not null default 'complete' check (status in ('filling', 'complete', 'incomplete')),
  query_count bigint
);
comment on column prediction_set.query_count is 'Queries that the job was to predict for; null where not known';
create index prediction_set_created on prediction_set (created_at desc, id desc) where listed;
create index prediction_set_visible on prediction_set (created_at desc, id desc) where listed and visibility = 'listed';
create index prediction_set_owner on prediction_set (owner_user_id, created_at desc, id desc) where listed;
create index prediction_set_annotation_set on prediction_set (annotation_set_id);
create index prediction_set_config on prediction_set (embedding_config_id);
create index prediction_set_snapshot on prediction_set (ontology_snapshot_id);
create unique index prediction_set_job on prediction_set (job_id) where job_id is not null;
create index prediction_set_query_set on prediction_set (query_set_id);
create index prediction_set_expires on prediction_set (expires_at) where expires_at is not null;

-- One row per (query, term, source). A batch is written in one transaction with its ledger row, so the
-- rows need no unique index to be there once.
create table go_prediction (
  prediction_set_number integer not null,
  protein_accession text not null,
  go_term_id integer not null,
  source_id text,
  distance real,                       -- null where none was measured
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
  predictions_jsonb jsonb,
  source_kind text not null check (source_kind in ('protein', 'interpro_entry', 'own_annotation', 'none')),
  -- Calibrated probability that the term is right, and what it rests on; null: not calibrated.
  probability real, probability_low real, probability_high real, calibrated_on text,
  answer_rank integer,                 -- place of the term in the answer
  contradiction text                   -- the rule or annotation that speaks against the term; null: none
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
  no_answer text,                      -- why the query got no answer
  known_accession text,                -- the protein of the reference set that the query is
  known_by text check (known_by in ('accession', 'sequence')),
  primary key (prediction_set_number, protein_accession)
);
-- Downloads walk the queries in byte order.
create index prediction_set_protein_order on prediction_set_protein (prediction_set_number, protein_accession collate "C");

-- Jobs, their timeline, the ledger of batches, worker processes, the embedded broker.

create table job (
  id uuid primary key default gen_random_uuid(),
  operation text not null,
  queue_name text not null,
  payload jsonb not null default '{}',
  meta jsonb not null default '{}',
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  parent_job_id uuid references job (id) on delete set null,
  -- A job that waits for another is published when that one has succeeded.
  waits_for_job_id uuid references job (id) on delete set null,
  owner_user_id uuid,
  progress_current bigint not null default 0,
  progress_total bigint,
  description text,
  findings text,
  tags text[] not null default '{}',
  result jsonb,
  error_code text,
  error_message text,
  attempts integer not null default 0,
  retry_count integer not null default 0,
  lease_losses integer not null default 0,
  lease_owner text,
  lease_expires_at timestamptz,
  -- Set when a coordinator has handed its batches out: the ledger closes the job, not a lease.
  dispatched_at timestamptz,
  not_before timestamptz,
  published_at timestamptz,
  deadline_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  visibility text not null default 'link' check (visibility in ('link', 'listed')),
  traceparent text                     -- W3C, of what created the job: a job that waits, or that the sweeper publishes, stays in its trace
);
create index job_created on job (created_at desc, id desc);
create index job_status_created on job (status, created_at desc, id desc);
create index job_operation_created on job (operation, created_at desc, id desc);
create index job_parent on job (parent_job_id);
create index job_waits_for on job (waits_for_job_id);
create index job_owner on job (owner_user_id, created_at desc);
create index job_unpublished on job (created_at) where status = 'QUEUED' and published_at is null;
create index job_lease on job (lease_expires_at) where status = 'RUNNING';
create index job_visible on job (created_at desc, id desc) where visibility = 'listed';
-- The work on an upload, found by what its payload names.
create index job_query_set on job ((payload ->> 'query_set_id')) where payload ->> 'query_set_id' is not null;
create index job_prediction_set on job ((payload ->> 'prediction_set_id')) where payload ->> 'prediction_set_id' is not null;
-- Found by the retention of ended jobs, which looks every half a minute.
create index job_finished on job (finished_at) where finished_at is not null;

create table job_event (
  id bigint generated always as identity primary key,
  job_id uuid not null references job (id) on delete cascade,
  ts timestamptz not null default clock_timestamp(),
  level text not null default 'info' check (level in ('info', 'warning', 'error')),
  event text not null,
  message text,
  fields jsonb not null default '{}'
);
create index job_event_job on job_event (job_id, ts desc, id desc);

create table job_comment (
  id uuid primary key default gen_random_uuid(),
  job_id uuid not null references job (id) on delete cascade,
  author text,
  body text not null check (body <> ''),
  created_at timestamptz not null default clock_timestamp()
);
create index job_comment_job on job_comment (job_id, created_at, id);

-- The ledger: a batch is computed at least once and stored exactly once.
create table job_batch (
  parent_job_id uuid not null references job (id) on delete cascade,
  batch_index integer not null,
  queue_name text not null,
  operation text not null,
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'stored', 'failed')),
  attempts integer not null default 0,
  published_at timestamptz,
  stored_at timestamptz,
  error_message text,
  primary key (parent_job_id, batch_index)
);
create index job_batch_unpublished on job_batch (parent_job_id) where state = 'pending' and published_at is null;

create table worker_process (
  id text primary key,
  role text not null,
  host text not null,
  pid integer not null,
  queues text[] not null,
  version text not null,
  started_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  working integer not null default 0,  -- how much it has in work
  draining boolean not null default false -- takes no more, because it stops
);

create schema broker;
create table broker.message (
  id bigint generated always as identity primary key,
  queue text not null,
  body bytea not null,
  headers jsonb not null default '{}',
  ready_at timestamptz not null default clock_timestamp(),
  deliveries integer not null default 0,
  locked_by text,
  locked_until timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
-- Bodies are vectors or small JSON: compressing costs and gains nothing. Rows live for a moment: clean up by count, not by share.
alter table broker.message alter column body set storage external;
alter table broker.message set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, fillfactor = 70);
create index message_ready on broker.message (queue, ready_at, id);
create index message_locked on broker.message (locked_by) where locked_by is not null;

-- Users, credentials, quotas, the audit log.

create table user_account (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  username text not null unique,
  display_name text,
  password_hash text not null,         -- argon2id
  role text not null default 'researcher' check (role in ('guest', 'researcher', 'operator', 'admin')),
  status text not null default 'pending' check (status in ('pending', 'active', 'deactivated')),
  intended_use text,
  created_at timestamptz not null default clock_timestamp(),
  last_login_at timestamptz
);
-- Names that differ by case only are one name.
create unique index user_account_username_any_case on user_account (lower(username));
create index user_account_created on user_account (created_at desc, id desc);

create table user_session (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references user_account (id) on delete cascade,
  jti uuid not null unique,
  token_hash char(64) not null unique, -- sha256 of the raw token
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_seen_at timestamptz,
  user_agent text,
  client_ip_hash text
);
create index user_session_user on user_session (user_id);

create table api_key (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references user_account (id) on delete cascade,
  name text not null,
  prefix char(8) not null,
  key_hash char(64) not null unique,   -- sha256 of the raw key
  role text not null check (role in ('guest', 'researcher', 'operator', 'admin')),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- The key that the command line of the service's own machine uses; a reset of the database keeps it.
  for_machine boolean not null default false
);
create index api_key_user on api_key (user_id);
create index api_key_created on api_key (created_at desc, id desc);

create table quota (
  key text not null,
  resource text not null,
  period_start timestamptz not null,
  count bigint not null,
  "limit" bigint,
  primary key (key, resource, period_start)
);

create table idempotency_key (
  principal text not null,
  route text not null,
  key text not null,
  body_sha256 char(64) not null,
  status integer,
  headers jsonb,
  body jsonb,
  created_at timestamptz not null default clock_timestamp(),
  primary key (principal, route, key)
);
create index idempotency_key_created on idempotency_key (created_at);

-- Outside the public schema, so that a reset of the database leaves it whole.
create schema if not exists audit;
create table if not exists audit.audit_log (
  id bigint generated always as identity primary key,
  actor_user_id uuid,
  action text not null,
  target text,
  payload jsonb not null default '{}',
  occurred_at timestamptz not null default clock_timestamp()
);
create index if not exists audit_log_occurred on audit.audit_log (occurred_at desc, id desc);
create or replace function audit.refuse_change() returns trigger language plpgsql as
  $$ begin raise exception 'the audit log is append-only'; end $$;
create or replace trigger audit_log_append_only before update or delete or truncate on audit.audit_log
  for each statement execute function audit.refuse_change();

-- The salt that turns a client address into a key for one day. The row of a day is deleted when the next day begins, and
-- the table is unlogged, so that no write-ahead log keeps what must be forgotten.
create unlogged table daily_salt (
  day date primary key,
  salt bytea not null
);

-- The taxonomy in force: one release, replaced as a whole.

create table taxonomy (
  id uuid primary key default gen_random_uuid(),
  content_sha256 char(64) not null,
  files jsonb not null,                -- [{"file": "nodes.dmp", "url": ..., "sha256": ...}]
  taxon_count integer not null,
  merged_count integer not null,
  rejected_lines integer not null,
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);
create unique index taxonomy_only_one on taxonomy ((true));

-- Every lineage is whole: the parent of a taxon is there, and the root (1) is its own parent.
create table taxon (
  id integer primary key,              -- as NCBI numbers them
  parent_id integer not null,
  rank text not null,
  name text                            -- scientific name
);

-- Former ids and the taxon that each belongs to now.
create table taxon_merged (
  old_id integer primary key,
  new_id integer not null
);

-- Links sent by mail, visits, and what the filters of the audit log need.

create table mail_token (
  token_hash char(64) primary key,     -- sha256 of what the mail carries
  user_id uuid not null references user_account (id) on delete cascade,
  purpose text not null check (purpose in ('magic_link', 'password_reset')),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_token_user on mail_token (user_id);
create index mail_token_expires on mail_token (expires_at);

-- The hash means nothing after its day: the salt is deleted.
create table visitor_event (
  id bigint generated always as identity primary key,
  visitor_hash char(16) not null,
  occurred_at timestamptz not null
);
create index visitor_event_occurred on visitor_event using brin (occurred_at);

create index if not exists audit_log_action on audit.audit_log (action, occurred_at desc, id desc);
create index if not exists audit_log_actor on audit.audit_log (actor_user_id, occurred_at desc, id desc);
create index if not exists audit_log_target on audit.audit_log (target, occurred_at desc, id desc);

-- The feature vector of each (query, term) pair, and what the projection of the vectors needs.

-- What go_prediction does not say of the nearest donor of a pair. As with go_prediction, a batch is written in one transaction
-- with its ledger row.
create table go_prediction_pair_features (
  prediction_set_number integer not null,
  protein_accession text not null,
  go_term_id integer not null,
  neighbor_min_distance real, neighbor_mean_distance real, anc2vec_neighbor_cos real, anc2vec_neighbor_maxcos real,
  anc2vec_has_emb boolean, anc2vec_query_known_cos real, anc2vec_query_known_maxcos real,
  anc2vec_query_known_count integer, tax_voters_same_frac real, tax_voters_close_frac real,
  tax_voters_mean_common_ancestors real, emb_pca_query_0 real, emb_pca_query_1 real, emb_pca_query_2 real,
  emb_pca_query_3 real, emb_pca_query_4 real, emb_pca_query_5 real, emb_pca_query_6 real, emb_pca_query_7 real,
  emb_pca_query_8 real, emb_pca_query_9 real, emb_pca_query_10 real, emb_pca_query_11 real, emb_pca_query_12 real,
  emb_pca_query_13 real, emb_pca_query_14 real, emb_pca_query_15 real, lineage_is_ancestor_of_known boolean,
  lineage_is_descendant_of_known boolean, lineage_ancestor_of_count integer, lineage_descendant_of_count integer
);
create index go_prediction_pair_features_protein on go_prediction_pair_features (prediction_set_number, protein_accession, go_term_id);

-- The whole feature vector of each (query, term): the features of the pair beside the columns of its nearest donor.
-- Join it with the accessions that are wanted: a list of them would be compared with one of the two tables only.
create view go_prediction_features as
select p.prediction_set_number, p.protein_accession, p.go_term_id, p.source_id as ref_protein_accession,
  p.distance, p.identity_nw, p.similarity_nw, p.alignment_score_nw, p.gaps_pct_nw, p.alignment_length_nw,
  p.identity_sw, p.similarity_sw, p.alignment_score_sw, p.gaps_pct_sw, p.alignment_length_sw, p.length_query,
  p.length_ref, p.taxonomic_distance, p.taxonomic_common_ancestors, p.vote_count, p.k_position, p.go_term_frequency,
  p.ref_annotation_density, p.neighbor_distance_std, p.neighbor_vote_fraction,
  f.neighbor_min_distance, f.neighbor_mean_distance, f.anc2vec_neighbor_cos, f.anc2vec_neighbor_maxcos,
  f.anc2vec_has_emb, f.anc2vec_query_known_cos, f.anc2vec_query_known_maxcos, f.anc2vec_query_known_count,
  f.tax_voters_same_frac, f.tax_voters_close_frac, f.tax_voters_mean_common_ancestors, f.emb_pca_query_0,
  f.emb_pca_query_1, f.emb_pca_query_2, f.emb_pca_query_3, f.emb_pca_query_4, f.emb_pca_query_5, f.emb_pca_query_6,
  f.emb_pca_query_7, f.emb_pca_query_8, f.emb_pca_query_9, f.emb_pca_query_10, f.emb_pca_query_11, f.emb_pca_query_12,
  f.emb_pca_query_13, f.emb_pca_query_14, f.emb_pca_query_15, f.lineage_is_ancestor_of_known,
  f.lineage_is_descendant_of_known, f.lineage_ancestor_of_count, f.lineage_descendant_of_count,
  p.qualifier, p.evidence_code, p.taxonomic_relation,
  case t.aspect when 'P' then 'bpo' when 'F' then 'mfo' else 'cco' end as aspect
from go_prediction_pair_features f
join go_prediction p on p.prediction_set_number = f.prediction_set_number and p.protein_accession = f.protein_accession
  and p.go_term_id = f.go_term_id and p.is_nearest
join go_term t on t.id = f.go_term_id;

-- Principal axes of the vectors of one embedding configuration. Fitted once and kept, so that a model that was trained on
-- the coordinates of one prediction meets the same axes in every later one.
create table embedding_projection (
  embedding_config_number integer primary key references embedding_config (number) on delete cascade,
  sampled_sequences integer not null,
  axes integer not null,
  mean bytea not null,                 -- float32, little-endian: [dimension]
  components bytea not null,           -- float32, little-endian: [axes x dimension]
  content_sha256 text not null,
  created_at timestamptz not null default clock_timestamp()
);
alter table embedding_projection alter column mean set storage external, alter column components set storage external;

-- Recipes of composite scores. A row is never changed.
create table scoring_config (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (char_length(name) between 1 and 255),
  formula text not null check (formula in ('linear', 'evidence_weighted')),
  weights jsonb not null,
  evidence_weights jsonb,
  params jsonb not null default '{}',
  description text,
  created_at timestamptz not null default clock_timestamp()
);
create index scoring_config_created on scoring_config (created_at desc, id desc);

-- Temporal holdouts and what was evaluated on them.

create table evaluation_set (
  id uuid primary key default gen_random_uuid(),
  number integer generated always as identity unique,
  old_annotation_set_id uuid not null references annotation_set (id),
  new_annotation_set_id uuid not null references annotation_set (id),
  ontology_snapshot_id uuid not null references ontology_snapshot (id),
  job_id uuid,
  rules jsonb not null,                -- how the gain was taken: evidence, NOT, mapping of ids, protein binding
  stats jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (old_annotation_set_id, new_annotation_set_id),
  check (old_annotation_set_id <> new_annotation_set_id)
);
create index evaluation_set_created on evaluation_set (created_at desc, id desc);
create index evaluation_set_new on evaluation_set (new_annotation_set_id);
create index evaluation_set_snapshot on evaluation_set (ontology_snapshot_id);

-- Propagated terms, roots left out. 'known': what the proteins of the three categories had before.
create table evaluation_truth (
  evaluation_set_number integer not null references evaluation_set (number) on delete cascade,
  category text not null check (category in ('NK', 'LK', 'PK', 'known')),
  protein_id integer not null,
  go_term_id integer not null,         -- of the set's ontology snapshot
  primary key (evaluation_set_number, category, protein_id, go_term_id)
);

-- Information accretion by what it was computed from.
create table information_accretion (
  id uuid primary key default gen_random_uuid(),
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  annotation_set_id uuid not null references annotation_set (id) on delete cascade,
  evidence text[] not null,            -- codes, in alphabetical order
  sha256 char(64) not null,            -- of the lines term, tab, bits, line feed, by term
  protein_count integer not null,
  term_count integer not null,
  go_ids text[] not null,              -- ascending
  bits double precision[] not null,    -- bits[i] belongs to go_ids[i]
  created_at timestamptz not null default clock_timestamp(),
  unique (ontology_snapshot_id, annotation_set_id, evidence)
);
create index information_accretion_set on information_accretion (annotation_set_id);

create table evaluation_result (
  id uuid primary key default gen_random_uuid(),
  evaluation_set_id uuid not null references evaluation_set (id) on delete cascade,
  prediction_set_id uuid not null references prediction_set (id),
  job_id uuid,
  options jsonb not null,              -- everything that a figure depends on beside the two sets
  options_sha256 char(64) not null,
  frame jsonb not null,                -- populations, evaluated terms, counts of what was read
  results jsonb not null,              -- category -> aspect -> figures
  intervals jsonb,                     -- category -> aspect -> figure -> {low, high, standard_error, samples}
  artifacts jsonb not null default '[]',
  created_at timestamptz not null default clock_timestamp(),
  unique (evaluation_set_id, prediction_set_id, options_sha256)
);
create index evaluation_result_created on evaluation_result (evaluation_set_id, created_at desc, id desc);
create index evaluation_result_newest on evaluation_result (created_at desc, id desc);
create index evaluation_result_prediction_set on evaluation_result (prediction_set_id);

-- Figures of the resamples, for intervals of differences.
create table evaluation_resamples (
  evaluation_result_id uuid not null references evaluation_result (id) on delete cascade,
  category text not null check (category in ('NK', 'LK', 'PK')),
  aspect char(1) not null check (aspect in ('P', 'F', 'C')),
  population_key bigint not null,      -- two results are paired if this, seed and resamples agree
  seed integer not null,
  resamples integer not null,
  proteins integer not null,
  estimates double precision[] not null,  -- one per figure, in the order of `figures`
  figures text[] not null,
  samples bytea not null,              -- float64, little-endian [figures x resamples]; NaN where there is none
  primary key (evaluation_result_id, category, aspect)
);
alter table evaluation_resamples alter column samples set storage external;

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

-- Experiment runs: what was tried, why, and what came of it, with the rows that belong to it.

create table experiment_run (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (length(name) between 1 and 255),
  description text,
  hypothesis text,
  findings text,
  status text not null default 'planned' check (status in ('planned', 'running', 'done', 'abandoned')),
  config jsonb not null default '{}',
  provenance jsonb not null default '{}',
  tags text[] not null default '{}',
  owner_user_id uuid references user_account (id) on delete set null,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  visibility text not null default 'link' check (visibility in ('link', 'listed'))
);
create index experiment_run_visible on experiment_run (created_at desc, id desc) where visibility = 'listed';
create index experiment_run_created on experiment_run (created_at desc, id desc);
create index experiment_run_status on experiment_run (status, created_at desc, id desc);
create index experiment_run_owner on experiment_run (owner_user_id);

-- A member that is deleted leaves its runs. kind tells what member_id is of: a job, an evaluation result or a re-ranker.
create table experiment_run_member (
  experiment_run_id uuid not null references experiment_run (id) on delete cascade,
  kind text not null check (kind in ('job', 'evaluation_result', 'reranker_model')),
  member_id uuid not null,
  attached_at timestamptz not null default clock_timestamp(),
  primary key (experiment_run_id, kind, member_id)
);
create index experiment_run_member_of on experiment_run_member (kind, member_id);

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

-- Thumbs-up of users. Who gave one is not stored.

create table support_entry (
  id uuid primary key default gen_random_uuid(),
  comment text check (char_length(comment) between 1 and 500),
  created_at timestamptz not null default clock_timestamp()
);
create index support_entry_commented on support_entry (created_at desc, id desc) where comment is not null;

-- InterPro: which entries stand for which GO terms, and where they were found in sequences.

create table interpro_mapping (
  source_version text primary key,
  mapping_url text not null,
  content_sha256 char(64) not null,
  pair_count integer not null,
  entry_count integer not null,
  header jsonb not null default '{}',
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);

create table interpro_go_mapping (
  source_version text not null references interpro_mapping (source_version) on delete cascade,
  interpro_accession text not null,
  go_id text not null,
  primary key (source_version, interpro_accession, go_id)
);

-- A match belongs to the sequence, so that all proteins and queries of that sequence share it.
create table interpro_annotation (
  sequence_id bigint not null references sequence (id) on delete cascade,
  interpro_release text not null,
  source_db text not null,              -- the member database of the signature; INTERPRO where only the entry is known
  signature_accession text not null default '',
  interpro_accession text,              -- null: a signature that no entry has taken up
  start_position integer,               -- 1-based, inclusive; null where the source gives none
  end_position integer,
  score text,                           -- verbatim: an E-value or a score, as the member database reports it
  check (start_position >= 1 and end_position >= start_position)
);
-- A second load of the same matches changes nothing.
create unique index interpro_annotation_match on interpro_annotation (
  sequence_id, interpro_release, source_db, signature_accession, coalesce(interpro_accession, ''),
  coalesce(start_position, 0), coalesce(end_position, 0));

-- How far a job has read a paged source: written with the rows of the page, so that a job that starts anew after a crash goes on there.
create table source_checkpoint (
  job_id uuid primary key,
  checkpoint text not null,
  counts jsonb not null default '{}',
  updated_at timestamptz not null default clock_timestamp()
);

-- What a server said of a file when it was read whole, to ask next time whether it changed.
create table source_file (
  url text primary key,
  etag text,
  last_modified text,
  content_sha256 char(64) not null,
  read_at timestamptz not null default clock_timestamp()
);

-- Sequences that were handed to an InterProScan service. A row is written before the submission and gets the service's id after it.
create table interproscan_submission (
  id uuid primary key default gen_random_uuid(),
  job_id uuid not null,
  sequence_id bigint not null references sequence (id) on delete cascade,
  service_url text not null,
  remote_id text,
  state text not null default 'intended' check (state in ('intended', 'submitted', 'stored', 'failed')),
  message text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (job_id, sequence_id)
);
create index interproscan_submission_sequence on interproscan_submission (sequence_id);

-- Sequences that were scanned, also those without a match: a later scan of the same release leaves them out.
create table interpro_scan (
  sequence_id bigint not null references sequence (id) on delete cascade,
  interpro_release text not null,
  scanned_at timestamptz not null default clock_timestamp(),
  primary key (sequence_id, interpro_release)
);

-- Failed logins of an account from an address, both as keyed hashes: each failure makes the next wait longer.
create table login_failure (
  account_hash char(64) not null,
  address_hash char(64) not null,
  failures integer not null,
  blocked_until timestamptz not null,
  failed_at timestamptz not null,
  primary key (account_hash, address_hash)
);
create index login_failure_failed on login_failure (failed_at);

-- Addresses, as keyed hashes, from which the right password came: there the account is never locked.
create table login_address (
  user_id uuid not null references user_account (id) on delete cascade,
  address_hash char(64) not null,
  last_login_at timestamptz not null default clock_timestamp(),
  primary key (user_id, address_hash)
);
create index login_address_last_login on login_address (last_login_at);

-- Here, because jobs end in many statements: by their worker, its last batch, the reaper, a cancel.
create function end_prediction_set() returns trigger language plpgsql as $$
declare
  made record;
begin
  if new.status = 'SUCCEEDED' then
    update prediction_set set status = 'complete' where job_id = new.id;
    return null;
  end if;
  update prediction_set s set status = 'incomplete', protein_count = c.proteins, prediction_count = c.predictions
  from (select count(*) as proteins, coalesce(sum(p.prediction_count), 0) as predictions
        from prediction_set o join prediction_set_protein p on p.prediction_set_number = o.number where o.job_id = new.id) c
  where s.job_id = new.id
  returning s.id, s.protein_count, s.query_count into made;
  if found then
    insert into job_event (job_id, level, event, message, fields)
    values (new.id, 'warning', 'prediction_set.incomplete',
      'Prediction set ' || made.id || ' remains with ' || made.protein_count
        || coalesce(' of ' || made.query_count, '') || ' proteins. Delete it, or predict again.',
      jsonb_build_object('prediction_set_id', made.id, 'proteins', made.protein_count, 'of', made.query_count));
  end if;
  return null;
end $$;
create trigger job_ends after update of status on job for each row
  when (new.status in ('SUCCEEDED', 'FAILED', 'CANCELLED') and old.status is distinct from new.status)
  execute function end_prediction_set();

-- No row names a job that is gone. The set of a load that still runs keeps its job: the job cannot be deleted.
create function forget_job() returns trigger language plpgsql as $$
begin
  update prediction_set set job_id = null where job_id = old.id;
  update annotation_set set job_id = null where job_id = old.id and state = 'complete';
  update evaluation_set set job_id = null where job_id = old.id;
  update evaluation_result set job_id = null where job_id = old.id;
  update dataset set job_id = null where job_id = old.id;
  update interpro_mapping set job_id = null where job_id = old.id;
  update taxonomy set job_id = null where job_id = old.id;
  update reference set job_id = null where job_id = old.id;
  return null;
end $$;
create trigger job_is_gone after delete on job for each row execute function forget_job();

-- What all workers have counted, also those that ended: one row per sample of a Prometheus series. Workers add what is new,
-- so values only grow. A change of histogram bounds needs a migration that empties the metric.
create table worker_metric (
  metric text not null,
  -- The metric, or for a histogram <metric>_bucket, _sum or _count
  sample text not null,
  labels jsonb not null,
  value double precision not null,
  primary key (sample, labels)
) with (fillfactor = 70);

-- What an operator wants annotations to be made with where the caller names nothing: one row at most.
create table annotate_reference (
  only_row boolean primary key default true check (only_row),
  annotation_set_id uuid references annotation_set (id) on delete set null,
  embedding_config_id uuid references embedding_config (id) on delete set null,
  set_at timestamptz not null default clock_timestamp()
);

-- GO's taxon constraints in force: one row at most. Small enough (about 2,000 constraints) to be read whole.
create table taxon_constraints (
  only_row boolean primary key default true check (only_row),
  source_version text not null,
  content_sha256 text not null,
  -- [{termId, kind, taxon}] in the order of the files, and the members of each union of taxa
  constraints jsonb not null,
  unions jsonb not null,
  constraint_count integer not null,
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);

-- What the scores of a method mean among the donors of a reference, fitted by `calibrate`; at most twelve rows a reference and choice.
create table calibration_curve (
  annotation_set_id uuid not null references annotation_set (id) on delete cascade,
  embedding_config_id uuid not null references embedding_config (id) on delete cascade,
  donors integer not null,
  evidence text[] not null,            -- groups whose annotations count, in alphabetical order
  method text not null check (method in ('combined', 'untrained')),
  aspect char(1) not null check (aspect in ('P', 'F', 'C')),
  known text not null check (known in ('nothing', 'other aspects', 'same aspect')),
  bins jsonb not null,
  kingdoms text[] not null,
  calibration_window text not null,    -- the two releases that the evaluation set compares
  prediction_count integer not null,
  protein_count integer not null,
  evaluation_set_id uuid not null,     -- where it came from; may be deleted
  prediction_set_id uuid not null,
  job_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (annotation_set_id, embedding_config_id, donors, evidence, method, aspect, known)
);
create index calibration_curve_config on calibration_curve (embedding_config_id);

-- The words of a protein's accession and names, for search. Workers fill it after a load, so that loads need not wait for its index.
create table protein_search (
  accession text primary key references protein (accession) on delete cascade,
  words tsvector not null
);
create index protein_search_words on protein_search using gin (words);

-- Proteins up to this id are in protein_search; searches read those above it themselves.
create table protein_search_state (
  only_row boolean primary key default true check (only_row),
  indexed_to bigint not null default 0
);
insert into protein_search_state default values;

-- Accessions that UniProt gave up when it merged or split entries, and the entries that have them now.
create table secondary_accession (
  secondary text not null,
  accession text not null,
  primary key (secondary, accession)
);
create index secondary_accession_accession on secondary_accession (accession);

-- Where the list came from: one row at most.
create table secondary_accession_source (
  only_row boolean primary key default true check (only_row),
  source_url text not null,
  content_sha256 text not null,
  pair_count integer not null,
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);

-- A named, versioned whole to annotate with. It never changes once it is complete.
create table reference (
  id uuid primary key default gen_random_uuid(),
  number integer not null unique generated always as identity,
  name text not null check (length(name) between 1 and 64),
  version text not null check (length(version) between 1 and 64),
  status text not null default 'building' check (status in ('building', 'complete', 'failed')),
  content_sha256 character(64),
  evidence text not null default 'all' check (evidence in ('all', 'experimental')),
  -- What the caller asked for: sources in order, and the digest by which the same request finds it
  inputs jsonb not null default '{}',
  inputs_sha256 character(64),
  ontology_snapshot_id uuid references ontology_snapshot (id),
  annotation_set_id uuid unique references annotation_set (id),
  make_default boolean not null default false,
  parts jsonb not null default '[]',
  protein_count bigint not null default 0,
  left_out jsonb not null default '{}',
  job_id uuid,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  completed_at timestamptz,
  unique (name, version)
);
create index reference_created on reference (created_at desc, id desc);
create index reference_inputs on reference (name, inputs_sha256);
create index reference_job on reference (job_id);
create index reference_snapshot on reference (ontology_snapshot_id);

-- Its proteins with the sequences and taxa of its own release: a later one may change those of the catalogue.
create table reference_protein (
  reference_number integer not null references reference (number) on delete cascade,
  protein_id integer not null references protein (id),
  sequence_id bigint not null references sequence (id),
  taxonomy_id integer,
  primary key (reference_number, protein_id)
);
create index reference_protein_sequence on reference_protein (sequence_id);
create index reference_protein_protein on reference_protein (protein_id);

-- Configurations whose vectors it has, in order.
create table reference_vectors (
  reference_number integer not null references reference (number) on delete cascade,
  position integer not null,
  embedding_config_id uuid not null references embedding_config (id),
  vector_count bigint not null default 0,
  primary key (reference_number, position),
  unique (reference_number, embedding_config_id)
);
create index reference_vectors_config on reference_vectors (embedding_config_id);

-- Sources that were sent and wait for their build.
create table reference_file (
  sha256 character(64) primary key,
  size_bytes bigint not null,
  uri text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- Here, because jobs end in many statements: the first step that fails ends the build.
create function end_reference() returns trigger language plpgsql as $$
begin
  update reference set status = 'failed',
    error = coalesce(new.error_message, 'The build was cancelled; the same request goes on where it was.')
  where id::text = new.payload ->> 'reference_id' and status = 'building'
    and (job_id = new.id or job_id = new.parent_job_id);
  return null;
end $$;
create trigger reference_step_ends after update of status on job for each row
  when (new.status in ('FAILED', 'CANCELLED') and old.status is distinct from new.status
    and new.payload ? 'reference_id')
  execute function end_reference();

-- What remains of visits after their rows are deleted: how many, and of how many visitors, on a day (UTC).
create table visitor_day (
  day date primary key,
  visits bigint not null,
  visitors bigint not null
);
