-- What the migrations add up to, for reading. Made by `npm run gen` from a migrated database; not run by anything.
-- Partitions that are made while the service runs are left out.

create table audit.audit_export (
  first_id bigint not null,
  last_id bigint not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  row_count bigint not null,
  uri text not null,
  sha256 character(64) not null,
  size_bytes bigint not null,
  exported_at timestamp with time zone not null default clock_timestamp(),
  constraint audit_export_pkey PRIMARY KEY (first_id),
  constraint audit_export_check CHECK (((last_id >= first_id) AND (last_at >= first_at) AND (row_count > 0)))
);
CREATE TRIGGER audit_export_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit.audit_export FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();

create table audit.audit_log (
  id bigint not null generated always as identity,
  actor_user_id uuid,
  action text not null,
  target text,
  payload jsonb not null default '{}'::jsonb,
  occurred_at timestamp with time zone not null default clock_timestamp(),
  constraint audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_action ON audit.audit_log USING btree (action, occurred_at DESC, id DESC);
CREATE INDEX audit_log_actor ON audit.audit_log USING btree (actor_user_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_occurred ON audit.audit_log USING btree (occurred_at DESC, id DESC);
CREATE INDEX audit_log_target ON audit.audit_log USING btree (target, occurred_at DESC, id DESC);
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR TRUNCATE ON audit.audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
CREATE TRIGGER audit_log_delete BEFORE DELETE ON audit.audit_log FOR EACH ROW EXECUTE FUNCTION audit.refuse_early_delete();

create table broker.message (
  id bigint not null generated always as identity,
  queue text not null,
  body bytea not null,
  headers jsonb not null default '{}'::jsonb,
  ready_at timestamp with time zone not null default clock_timestamp(),
  deliveries integer not null default 0,
  locked_by text,
  locked_until timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint message_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, fillfactor=70);
alter table only broker.message alter column body set storage external;
CREATE INDEX message_locked ON broker.message USING btree (locked_by) WHERE (locked_by IS NOT NULL);
CREATE INDEX message_ready ON broker.message USING btree (queue, ready_at, id);

create table public.annotate_reference (
  only_row boolean not null default true,
  annotation_set_id uuid,
  embedding_config_id uuid,
  set_at timestamp with time zone not null default clock_timestamp(),
  constraint annotate_reference_pkey PRIMARY KEY (only_row),
  constraint annotate_reference_annotation_set_id_fkey FOREIGN KEY (annotation_set_id) REFERENCES annotation_set(id) ON DELETE SET NULL,
  constraint annotate_reference_embedding_config_id_fkey FOREIGN KEY (embedding_config_id) REFERENCES embedding_config(id) ON DELETE SET NULL,
  constraint annotate_reference_only_row_check CHECK (only_row)
);

create table public.annotation_set (
  id uuid not null default gen_random_uuid(),
  number integer not null generated always as identity,
  source text not null,
  source_version text not null,
  ontology_snapshot_id uuid not null,
  content_sha256 character(64),
  state text not null default 'loading'::text,
  job_id uuid,
  annotation_count bigint not null default 0,
  protein_count bigint not null default 0,
  statistics jsonb not null default '{}'::jsonb,
  meta jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  newest_annotation_date text,
  constraint annotation_set_pkey PRIMARY KEY (id),
  constraint annotation_set_number_key UNIQUE (number),
  constraint annotation_set_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id),
  constraint annotation_set_source_check CHECK ((source = ANY (ARRAY['goa'::text, 'quickgo'::text, 'reference'::text]))),
  constraint annotation_set_state_check CHECK ((state = ANY (ARRAY['loading'::text, 'complete'::text])))
);
CREATE INDEX annotation_set_created ON public.annotation_set USING btree (created_at DESC, id DESC);
CREATE INDEX annotation_set_snapshot ON public.annotation_set USING btree (ontology_snapshot_id);
CREATE TRIGGER annotation_set_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.annotation_set FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.api_key (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  name text not null,
  prefix character(8) not null,
  key_hash character(64) not null,
  role text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  for_machine boolean not null default false,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_key_hash_key UNIQUE (key_hash),
  constraint api_key_role_check CHECK ((role = ANY (ARRAY['guest'::text, 'researcher'::text, 'operator'::text, 'admin'::text]))),
  constraint api_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
);
CREATE INDEX api_key_created ON public.api_key USING btree (created_at DESC, id DESC);
CREATE INDEX api_key_user ON public.api_key USING btree (user_id);

create table public.backup (
  made_at timestamp with time zone not null,
  version text not null,
  size_bytes bigint not null,
  verified_at timestamp with time zone,
  constraint backup_pkey PRIMARY KEY (made_at)
);

create table public.bank_change (
  id bigint not null generated always as identity,
  embedding_config_number integer,
  changes bigint not null default 1,
  constraint bank_change_pkey PRIMARY KEY (id),
  constraint bank_change_embedding_config_number_fkey FOREIGN KEY (embedding_config_number) REFERENCES embedding_config(number) ON DELETE CASCADE
);
CREATE INDEX bank_change_config ON public.bank_change USING btree (embedding_config_number);

create table public.bank_fingerprint (
  embedding_config_number integer not null,
  annotation_set_number integer not null,
  changes bigint not null,
  vectors integer not null,
  newest text,
  checksum text not null,
  constraint bank_fingerprint_pkey PRIMARY KEY (embedding_config_number, annotation_set_number),
  constraint bank_fingerprint_annotation_set_number_fkey FOREIGN KEY (annotation_set_number) REFERENCES annotation_set(number) ON DELETE CASCADE,
  constraint bank_fingerprint_embedding_config_number_fkey FOREIGN KEY (embedding_config_number) REFERENCES embedding_config(number) ON DELETE CASCADE
);
CREATE INDEX bank_fingerprint_set ON public.bank_fingerprint USING btree (annotation_set_number);

create table public.calibration_curve (
  annotation_set_id uuid not null,
  embedding_config_id uuid not null,
  donors integer not null,
  evidence text[] not null,
  method text not null,
  aspect character(1) not null,
  known text not null,
  bins jsonb not null,
  kingdoms text[] not null,
  calibration_window text not null,
  prediction_count integer not null,
  protein_count integer not null,
  evaluation_set_id uuid not null,
  prediction_set_id uuid not null,
  job_id uuid,
  created_at timestamp with time zone not null default clock_timestamp(),
  more_embedding_config_ids uuid[] not null default '{}'::uuid[],
  constraint calibration_curve_pkey PRIMARY KEY (annotation_set_id, embedding_config_id, more_embedding_config_ids, donors, evidence, method, aspect, known),
  constraint calibration_curve_annotation_set_id_fkey FOREIGN KEY (annotation_set_id) REFERENCES annotation_set(id) ON DELETE CASCADE,
  constraint calibration_curve_aspect_check CHECK ((aspect = ANY (ARRAY['P'::bpchar, 'F'::bpchar, 'C'::bpchar]))),
  constraint calibration_curve_embedding_config_id_fkey FOREIGN KEY (embedding_config_id) REFERENCES embedding_config(id) ON DELETE CASCADE,
  constraint calibration_curve_known_check CHECK ((known = ANY (ARRAY['nothing'::text, 'other aspects'::text, 'same aspect'::text]))),
  constraint calibration_curve_method_check CHECK ((method = ANY (ARRAY['combined'::text, 'untrained'::text])))
);
CREATE INDEX calibration_curve_config ON public.calibration_curve USING btree (embedding_config_id);
CREATE INDEX calibration_curve_more_configs ON public.calibration_curve USING gin (more_embedding_config_ids);

create table public.daily_salt (
  day date not null,
  salt bytea not null,
  constraint daily_salt_pkey PRIMARY KEY (day)
);

create table public.dataset (
  id uuid not null default gen_random_uuid(),
  name text not null,
  job_id uuid,
  storage_backend text not null,
  key_prefix text not null,
  train_uri text,
  eval_uri text,
  manifest_uri text not null,
  schema_sha text not null,
  manifest_sha character(64),
  train_row_count bigint not null,
  eval_row_count bigint not null,
  k integer not null,
  annotation_source text not null,
  embedding_config_id uuid,
  ontology_snapshot_id uuid,
  train_snapshot_pairs text[] not null default '{}'::text[],
  eval_snapshot_pair text,
  producer_version text,
  producer_git_sha text,
  meta jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint dataset_pkey PRIMARY KEY (id),
  constraint dataset_embedding_config_id_fkey FOREIGN KEY (embedding_config_id) REFERENCES embedding_config(id) ON DELETE SET NULL,
  constraint dataset_eval_row_count_check CHECK ((eval_row_count >= 0)),
  constraint dataset_job_id_key UNIQUE (job_id),
  constraint dataset_k_check CHECK ((k > 0)),
  constraint dataset_key_prefix_check CHECK (((length(key_prefix) >= 1) AND (length(key_prefix) <= 512))),
  constraint dataset_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint dataset_name_key UNIQUE (name),
  constraint dataset_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id) ON DELETE SET NULL,
  constraint dataset_schema_sha_check CHECK (((length(schema_sha) >= 1) AND (length(schema_sha) <= 16))),
  constraint dataset_storage_backend_check CHECK (((length(storage_backend) >= 1) AND (length(storage_backend) <= 32))),
  constraint dataset_train_row_count_check CHECK ((train_row_count >= 0))
);
CREATE INDEX dataset_created ON public.dataset USING btree (created_at DESC, id DESC);
CREATE INDEX dataset_embedding_config ON public.dataset USING btree (embedding_config_id, created_at DESC, id DESC);
CREATE INDEX dataset_ontology_snapshot ON public.dataset USING btree (ontology_snapshot_id);

create table public.embedding_config (
  id uuid not null default gen_random_uuid(),
  number integer not null generated always as identity,
  model_name text not null,
  model_backend text not null,
  layer_indices integer[] not null,
  layer_agg text not null,
  pooling text not null,
  normalize_residues boolean not null,
  "normalize" boolean not null,
  max_length integer not null,
  use_chunking boolean not null,
  chunk_size integer not null,
  chunk_overlap integer not null,
  dimension integer not null,
  display_name text,
  family text,
  param_count bigint,
  description text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint embedding_config_pkey PRIMARY KEY (id),
  constraint embedding_config_layer_agg_check CHECK ((layer_agg = ANY (ARRAY['mean'::text, 'last'::text, 'concat'::text]))),
  constraint embedding_config_number_key UNIQUE (number),
  constraint embedding_config_pooling_check CHECK ((pooling = ANY (ARRAY['mean'::text, 'max'::text, 'cls'::text, 'mean_max'::text])))
);
CREATE INDEX embedding_config_created ON public.embedding_config USING btree (created_at DESC, id DESC);

create table public.embedding_projection (
  embedding_config_number integer not null,
  sampled_sequences integer not null,
  axes integer not null,
  mean bytea not null,
  components bytea not null,
  content_sha256 text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint embedding_projection_pkey PRIMARY KEY (embedding_config_number),
  constraint embedding_projection_embedding_config_number_fkey FOREIGN KEY (embedding_config_number) REFERENCES embedding_config(number) ON DELETE CASCADE
);
alter table only public.embedding_projection alter column mean set storage external;
alter table only public.embedding_projection alter column components set storage external;

create table public.evaluation_resamples (
  evaluation_result_id uuid not null,
  category text not null,
  aspect character(1) not null,
  population_key bigint not null,
  seed integer not null,
  resamples integer not null,
  proteins integer not null,
  estimates double precision[] not null,
  figures text[] not null,
  samples bytea not null,
  constraint evaluation_resamples_pkey PRIMARY KEY (evaluation_result_id, category, aspect),
  constraint evaluation_resamples_aspect_check CHECK ((aspect = ANY (ARRAY['P'::bpchar, 'F'::bpchar, 'C'::bpchar]))),
  constraint evaluation_resamples_category_check CHECK ((category = ANY (ARRAY['NK'::text, 'LK'::text, 'PK'::text]))),
  constraint evaluation_resamples_evaluation_result_id_fkey FOREIGN KEY (evaluation_result_id) REFERENCES evaluation_result(id) ON DELETE CASCADE
);
alter table only public.evaluation_resamples alter column samples set storage external;

create table public.evaluation_result (
  id uuid not null default gen_random_uuid(),
  evaluation_set_id uuid not null,
  prediction_set_id uuid not null,
  job_id uuid,
  options jsonb not null,
  options_sha256 character(64) not null,
  frame jsonb not null,
  results jsonb not null,
  intervals jsonb,
  artifacts jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint evaluation_result_pkey PRIMARY KEY (id),
  constraint evaluation_result_evaluation_set_id_fkey FOREIGN KEY (evaluation_set_id) REFERENCES evaluation_set(id) ON DELETE CASCADE,
  constraint evaluation_result_evaluation_set_id_prediction_set_id_optio_key UNIQUE (evaluation_set_id, prediction_set_id, options_sha256),
  constraint evaluation_result_prediction_set_id_fkey FOREIGN KEY (prediction_set_id) REFERENCES prediction_set(id)
);
CREATE INDEX evaluation_result_created ON public.evaluation_result USING btree (evaluation_set_id, created_at DESC, id DESC);
CREATE INDEX evaluation_result_newest ON public.evaluation_result USING btree (created_at DESC, id DESC);
CREATE INDEX evaluation_result_prediction_set ON public.evaluation_result USING btree (prediction_set_id);
CREATE TRIGGER evaluation_result_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.evaluation_result FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.evaluation_set (
  id uuid not null default gen_random_uuid(),
  number integer not null generated always as identity,
  old_annotation_set_id uuid not null,
  new_annotation_set_id uuid not null,
  ontology_snapshot_id uuid not null,
  job_id uuid,
  rules jsonb not null,
  stats jsonb not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint evaluation_set_pkey PRIMARY KEY (id),
  constraint evaluation_set_check CHECK ((old_annotation_set_id <> new_annotation_set_id)),
  constraint evaluation_set_new_annotation_set_id_fkey FOREIGN KEY (new_annotation_set_id) REFERENCES annotation_set(id),
  constraint evaluation_set_number_key UNIQUE (number),
  constraint evaluation_set_old_annotation_set_id_fkey FOREIGN KEY (old_annotation_set_id) REFERENCES annotation_set(id),
  constraint evaluation_set_old_annotation_set_id_new_annotation_set_id_key UNIQUE (old_annotation_set_id, new_annotation_set_id),
  constraint evaluation_set_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id)
);
CREATE INDEX evaluation_set_created ON public.evaluation_set USING btree (created_at DESC, id DESC);
CREATE INDEX evaluation_set_new ON public.evaluation_set USING btree (new_annotation_set_id);
CREATE INDEX evaluation_set_snapshot ON public.evaluation_set USING btree (ontology_snapshot_id);

create table public.evaluation_truth (
  evaluation_set_number integer not null,
  category text not null,
  protein_id integer not null,
  go_term_id integer not null,
  constraint evaluation_truth_pkey PRIMARY KEY (evaluation_set_number, category, protein_id, go_term_id),
  constraint evaluation_truth_category_check CHECK ((category = ANY (ARRAY['NK'::text, 'LK'::text, 'PK'::text, 'known'::text]))),
  constraint evaluation_truth_evaluation_set_number_fkey FOREIGN KEY (evaluation_set_number) REFERENCES evaluation_set(number) ON DELETE CASCADE
);

create table public.experiment_run (
  id uuid not null default gen_random_uuid(),
  name text not null,
  description text,
  hypothesis text,
  findings text,
  status text not null default 'planned'::text,
  config jsonb not null default '{}'::jsonb,
  provenance jsonb not null default '{}'::jsonb,
  tags text[] not null default '{}'::text[],
  owner_user_id uuid,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  visibility text not null default 'link'::text,
  constraint experiment_run_pkey PRIMARY KEY (id),
  constraint experiment_run_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint experiment_run_name_key UNIQUE (name),
  constraint experiment_run_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES user_account(id) ON DELETE SET NULL,
  constraint experiment_run_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'running'::text, 'done'::text, 'abandoned'::text]))),
  constraint experiment_run_visibility_check CHECK ((visibility = ANY (ARRAY['link'::text, 'listed'::text])))
);
CREATE INDEX experiment_run_created ON public.experiment_run USING btree (created_at DESC, id DESC);
CREATE INDEX experiment_run_owner ON public.experiment_run USING btree (owner_user_id);
CREATE INDEX experiment_run_status ON public.experiment_run USING btree (status, created_at DESC, id DESC);
CREATE INDEX experiment_run_visible ON public.experiment_run USING btree (created_at DESC, id DESC) WHERE (visibility = 'listed'::text);

create table public.experiment_run_member (
  experiment_run_id uuid not null,
  kind text not null,
  member_id uuid not null,
  attached_at timestamp with time zone not null default clock_timestamp(),
  constraint experiment_run_member_pkey PRIMARY KEY (experiment_run_id, kind, member_id),
  constraint experiment_run_member_experiment_run_id_fkey FOREIGN KEY (experiment_run_id) REFERENCES experiment_run(id) ON DELETE CASCADE,
  constraint experiment_run_member_kind_check CHECK ((kind = ANY (ARRAY['job'::text, 'evaluation_result'::text, 'reranker_model'::text])))
);
CREATE INDEX experiment_run_member_of ON public.experiment_run_member USING btree (kind, member_id);

create table public.go_prediction (
  prediction_set_number integer not null,
  protein_accession text not null,
  go_term_id integer not null,
  source_id text,
  distance real,
  score real not null,
  term_rank integer not null,
  is_nearest boolean not null,
  qualifier text,
  evidence_code text,
  identity_nw real,
  similarity_nw real,
  alignment_score_nw real,
  gaps_pct_nw real,
  alignment_length_nw real,
  identity_sw real,
  similarity_sw real,
  alignment_score_sw real,
  gaps_pct_sw real,
  alignment_length_sw real,
  length_query integer,
  length_ref integer,
  query_taxonomy_id integer,
  ref_taxonomy_id integer,
  taxonomic_lca integer,
  taxonomic_distance integer,
  taxonomic_common_ancestors integer,
  taxonomic_relation text,
  vote_count integer,
  k_position integer,
  go_term_frequency integer,
  ref_annotation_density integer,
  neighbor_distance_std real,
  neighbor_vote_fraction real,
  predictions_jsonb jsonb,
  source_kind text not null,
  probability real,
  probability_low real,
  probability_high real,
  calibrated_on text,
  answer_rank integer,
  contradiction text,
  source_identity real,
  similar_proteins integer,
  supporters integer,
  source_found_by text,
  constraint go_prediction_source_kind_check CHECK ((source_kind = ANY (ARRAY['protein'::text, 'interpro_entry'::text, 'own_annotation'::text, 'none'::text])))
);
CREATE INDEX go_prediction_protein ON public.go_prediction USING btree (prediction_set_number, protein_accession, go_term_id);

-- A view; its query is in the migrations.
-- public.go_prediction_features (
--   prediction_set_number integer,
--   protein_accession text,
--   go_term_id integer,
--   ref_protein_accession text,
--   distance real,
--   identity_nw real,
--   similarity_nw real,
--   alignment_score_nw real,
--   gaps_pct_nw real,
--   alignment_length_nw real,
--   identity_sw real,
--   similarity_sw real,
--   alignment_score_sw real,
--   gaps_pct_sw real,
--   alignment_length_sw real,
--   length_query integer,
--   length_ref integer,
--   taxonomic_distance integer,
--   taxonomic_common_ancestors integer,
--   vote_count integer,
--   k_position integer,
--   go_term_frequency integer,
--   ref_annotation_density integer,
--   neighbor_distance_std real,
--   neighbor_vote_fraction real,
--   neighbor_min_distance real,
--   neighbor_mean_distance real,
--   anc2vec_neighbor_cos real,
--   anc2vec_neighbor_maxcos real,
--   anc2vec_has_emb boolean,
--   anc2vec_query_known_cos real,
--   anc2vec_query_known_maxcos real,
--   anc2vec_query_known_count integer,
--   tax_voters_same_frac real,
--   tax_voters_close_frac real,
--   tax_voters_mean_common_ancestors real,
--   emb_pca_query_0 real,
--   emb_pca_query_1 real,
--   emb_pca_query_2 real,
--   emb_pca_query_3 real,
--   emb_pca_query_4 real,
--   emb_pca_query_5 real,
--   emb_pca_query_6 real,
--   emb_pca_query_7 real,
--   emb_pca_query_8 real,
--   emb_pca_query_9 real,
--   emb_pca_query_10 real,
--   emb_pca_query_11 real,
--   emb_pca_query_12 real,
--   emb_pca_query_13 real,
--   emb_pca_query_14 real,
--   emb_pca_query_15 real,
--   lineage_is_ancestor_of_known boolean,
--   lineage_is_descendant_of_known boolean,
--   lineage_ancestor_of_count integer,
--   lineage_descendant_of_count integer,
--   qualifier text,
--   evidence_code text,
--   taxonomic_relation text,
--   aspect text
-- )

create table public.go_prediction_pair_features (
  prediction_set_number integer not null,
  protein_accession text not null,
  go_term_id integer not null,
  neighbor_min_distance real,
  neighbor_mean_distance real,
  anc2vec_neighbor_cos real,
  anc2vec_neighbor_maxcos real,
  anc2vec_has_emb boolean,
  anc2vec_query_known_cos real,
  anc2vec_query_known_maxcos real,
  anc2vec_query_known_count integer,
  tax_voters_same_frac real,
  tax_voters_close_frac real,
  tax_voters_mean_common_ancestors real,
  emb_pca_query_0 real,
  emb_pca_query_1 real,
  emb_pca_query_2 real,
  emb_pca_query_3 real,
  emb_pca_query_4 real,
  emb_pca_query_5 real,
  emb_pca_query_6 real,
  emb_pca_query_7 real,
  emb_pca_query_8 real,
  emb_pca_query_9 real,
  emb_pca_query_10 real,
  emb_pca_query_11 real,
  emb_pca_query_12 real,
  emb_pca_query_13 real,
  emb_pca_query_14 real,
  emb_pca_query_15 real,
  lineage_is_ancestor_of_known boolean,
  lineage_is_descendant_of_known boolean,
  lineage_ancestor_of_count integer,
  lineage_descendant_of_count integer
);
CREATE INDEX go_prediction_pair_features_protein ON public.go_prediction_pair_features USING btree (prediction_set_number, protein_accession, go_term_id);

create table public.go_slim (
  id uuid not null default gen_random_uuid(),
  name text not null,
  version text not null,
  obo_url text not null,
  terms jsonb not null,
  term_count integer not null,
  job_id uuid,
  loaded_at timestamp with time zone not null default clock_timestamp(),
  constraint go_slim_pkey PRIMARY KEY (id),
  constraint go_slim_name_version_key UNIQUE (name, version)
);
CREATE INDEX go_slim_loaded ON public.go_slim USING btree (loaded_at, id);
CREATE TRIGGER go_slim_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.go_slim FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.go_term (
  id integer not null generated always as identity,
  ontology_snapshot_id uuid not null,
  go_id text not null,
  name text not null,
  aspect character(1) not null,
  definition text,
  is_obsolete boolean not null default false,
  replaced_by text[] not null default '{}'::text[],
  consider text[] not null default '{}'::text[],
  constraint go_term_pkey PRIMARY KEY (id),
  constraint go_term_aspect_check CHECK ((aspect = ANY (ARRAY['P'::bpchar, 'F'::bpchar, 'C'::bpchar]))),
  constraint go_term_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id) ON DELETE CASCADE,
  constraint go_term_ontology_snapshot_id_go_id_key UNIQUE (ontology_snapshot_id, go_id)
);
CREATE TRIGGER go_term_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.go_term FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.go_term_alt_id (
  ontology_snapshot_id uuid not null,
  alt_id text not null,
  go_term_id integer not null,
  constraint go_term_alt_id_pkey PRIMARY KEY (ontology_snapshot_id, alt_id),
  constraint go_term_alt_id_go_term_id_fkey FOREIGN KEY (go_term_id) REFERENCES go_term(id) ON DELETE CASCADE,
  constraint go_term_alt_id_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id) ON DELETE CASCADE
);
CREATE INDEX go_term_alt_id_term ON public.go_term_alt_id USING btree (go_term_id);

create table public.go_term_relationship (
  ontology_snapshot_id uuid not null,
  child_go_term_id integer not null,
  parent_go_term_id integer not null,
  relation_type text not null,
  constraint go_term_relationship_pkey PRIMARY KEY (child_go_term_id, parent_go_term_id, relation_type),
  constraint go_term_relationship_child_go_term_id_fkey FOREIGN KEY (child_go_term_id) REFERENCES go_term(id) ON DELETE CASCADE,
  constraint go_term_relationship_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id) ON DELETE CASCADE,
  constraint go_term_relationship_parent_go_term_id_fkey FOREIGN KEY (parent_go_term_id) REFERENCES go_term(id) ON DELETE CASCADE
);
CREATE INDEX go_term_relationship_parent ON public.go_term_relationship USING btree (parent_go_term_id);
CREATE INDEX go_term_relationship_snapshot ON public.go_term_relationship USING btree (ontology_snapshot_id);

create table public.idempotency_key (
  principal text not null,
  route text not null,
  key text not null,
  body_sha256 character(64) not null,
  status integer,
  headers jsonb,
  body jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint idempotency_key_pkey PRIMARY KEY (principal, route, key)
);
CREATE INDEX idempotency_key_created ON public.idempotency_key USING btree (created_at);

create table public.information_accretion (
  id uuid not null default gen_random_uuid(),
  ontology_snapshot_id uuid not null,
  annotation_set_id uuid not null,
  evidence text[] not null,
  sha256 character(64) not null,
  protein_count integer not null,
  term_count integer not null,
  go_ids text[] not null,
  bits double precision[] not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint information_accretion_pkey PRIMARY KEY (id),
  constraint information_accretion_annotation_set_id_fkey FOREIGN KEY (annotation_set_id) REFERENCES annotation_set(id) ON DELETE CASCADE,
  constraint information_accretion_ontology_snapshot_id_annotation_set_i_key UNIQUE (ontology_snapshot_id, annotation_set_id, evidence),
  constraint information_accretion_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id) ON DELETE CASCADE
);
CREATE INDEX information_accretion_set ON public.information_accretion USING btree (annotation_set_id);

create table public.interpro_annotation (
  sequence_id bigint not null,
  interpro_release text not null,
  source_db text not null,
  signature_accession text not null default ''::text,
  interpro_accession text,
  start_position integer,
  end_position integer,
  score text,
  constraint interpro_annotation_check CHECK (((start_position >= 1) AND (end_position >= start_position))),
  constraint interpro_annotation_sequence_id_fkey FOREIGN KEY (sequence_id) REFERENCES sequence(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX interpro_annotation_match ON public.interpro_annotation USING btree (sequence_id, interpro_release, source_db, signature_accession, COALESCE(interpro_accession, ''::text), COALESCE(start_position, 0), COALESCE(end_position, 0));

create table public.interpro_go_mapping (
  source_version text not null,
  interpro_accession text not null,
  go_id text not null,
  constraint interpro_go_mapping_pkey PRIMARY KEY (source_version, interpro_accession, go_id),
  constraint interpro_go_mapping_source_version_fkey FOREIGN KEY (source_version) REFERENCES interpro_mapping(source_version) ON DELETE CASCADE
);

create table public.interpro_mapping (
  source_version text not null,
  mapping_url text not null,
  content_sha256 character(64) not null,
  pair_count integer not null,
  entry_count integer not null,
  header jsonb not null default '{}'::jsonb,
  job_id uuid,
  loaded_at timestamp with time zone not null default clock_timestamp(),
  constraint interpro_mapping_pkey PRIMARY KEY (source_version)
);

create table public.interpro_scan (
  sequence_id bigint not null,
  interpro_release text not null,
  scanned_at timestamp with time zone not null default clock_timestamp(),
  constraint interpro_scan_pkey PRIMARY KEY (sequence_id, interpro_release),
  constraint interpro_scan_sequence_id_fkey FOREIGN KEY (sequence_id) REFERENCES sequence(id) ON DELETE CASCADE
);

create table public.interproscan_submission (
  id uuid not null default gen_random_uuid(),
  job_id uuid not null,
  sequence_id bigint not null,
  service_url text not null,
  remote_id text,
  state text not null default 'intended'::text,
  message text,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint interproscan_submission_pkey PRIMARY KEY (id),
  constraint interproscan_submission_job_id_sequence_id_key UNIQUE (job_id, sequence_id),
  constraint interproscan_submission_sequence_id_fkey FOREIGN KEY (sequence_id) REFERENCES sequence(id) ON DELETE CASCADE,
  constraint interproscan_submission_state_check CHECK ((state = ANY (ARRAY['intended'::text, 'submitted'::text, 'stored'::text, 'failed'::text])))
);
CREATE INDEX interproscan_submission_sequence ON public.interproscan_submission USING btree (sequence_id);

create table public.job (
  id uuid not null default gen_random_uuid(),
  operation text not null,
  queue_name text not null,
  payload jsonb not null default '{}'::jsonb,
  meta jsonb not null default '{}'::jsonb,
  status text not null default 'QUEUED'::text,
  parent_job_id uuid,
  waits_for_job_id uuid,
  owner_user_id uuid,
  progress_current bigint not null default 0,
  progress_total bigint,
  description text,
  findings text,
  tags text[] not null default '{}'::text[],
  result jsonb,
  error_code text,
  error_message text,
  attempts integer not null default 0,
  retry_count integer not null default 0,
  lease_losses integer not null default 0,
  lease_owner text,
  lease_expires_at timestamp with time zone,
  dispatched_at timestamp with time zone,
  not_before timestamp with time zone,
  published_at timestamp with time zone,
  deadline_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  visibility text not null default 'link'::text,
  traceparent text,
  request_id text,
  constraint job_pkey PRIMARY KEY (id),
  constraint job_parent_job_id_fkey FOREIGN KEY (parent_job_id) REFERENCES job(id) ON DELETE SET NULL,
  constraint job_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text]))),
  constraint job_visibility_check CHECK ((visibility = ANY (ARRAY['link'::text, 'listed'::text]))),
  constraint job_waits_for_job_id_fkey FOREIGN KEY (waits_for_job_id) REFERENCES job(id) ON DELETE SET NULL
);
CREATE INDEX job_created ON public.job USING btree (created_at DESC, id DESC);
CREATE INDEX job_finished ON public.job USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX job_lease ON public.job USING btree (lease_expires_at) WHERE (status = 'RUNNING'::text);
CREATE INDEX job_operation_created ON public.job USING btree (operation, created_at DESC, id DESC);
CREATE INDEX job_owner ON public.job USING btree (owner_user_id, created_at DESC);
CREATE INDEX job_parent ON public.job USING btree (parent_job_id);
CREATE INDEX job_prediction_set ON public.job USING btree (((payload ->> 'prediction_set_id'::text))) WHERE ((payload ->> 'prediction_set_id'::text) IS NOT NULL);
CREATE INDEX job_query_set ON public.job USING btree (((payload ->> 'query_set_id'::text))) WHERE ((payload ->> 'query_set_id'::text) IS NOT NULL);
CREATE INDEX job_request ON public.job USING btree (request_id, created_at DESC, id DESC) WHERE (request_id IS NOT NULL);
CREATE INDEX job_status_created ON public.job USING btree (status, created_at DESC, id DESC);
CREATE INDEX job_unpublished ON public.job USING btree (created_at) WHERE ((status = 'QUEUED'::text) AND (published_at IS NULL));
CREATE INDEX job_visible ON public.job USING btree (created_at DESC, id DESC) WHERE (visibility = 'listed'::text);
CREATE INDEX job_waits_for ON public.job USING btree (waits_for_job_id);
CREATE TRIGGER job_ends AFTER UPDATE OF status ON public.job FOR EACH ROW WHEN (((new.status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text])) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION end_prediction_set();
CREATE TRIGGER job_is_gone AFTER DELETE ON public.job FOR EACH ROW EXECUTE FUNCTION forget_job();
CREATE TRIGGER job_webhooks AFTER UPDATE OF status ON public.job FOR EACH ROW WHEN (((new.owner_user_id IS NOT NULL) AND (old.status IS DISTINCT FROM new.status) AND (new.status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text])))) EXECUTE FUNCTION queue_webhooks();
CREATE TRIGGER reference_step_ends AFTER UPDATE OF status ON public.job FOR EACH ROW WHEN (((new.status = ANY (ARRAY['FAILED'::text, 'CANCELLED'::text])) AND (old.status IS DISTINCT FROM new.status) AND (new.payload ? 'reference_id'::text))) EXECUTE FUNCTION end_reference();

create table public.job_batch (
  parent_job_id uuid not null,
  batch_index integer not null,
  queue_name text not null,
  operation text not null,
  payload jsonb not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  published_at timestamp with time zone,
  stored_at timestamp with time zone,
  error_message text,
  constraint job_batch_pkey PRIMARY KEY (parent_job_id, batch_index),
  constraint job_batch_parent_job_id_fkey FOREIGN KEY (parent_job_id) REFERENCES job(id) ON DELETE CASCADE,
  constraint job_batch_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'stored'::text, 'failed'::text])))
);
CREATE INDEX job_batch_outstanding ON public.job_batch USING btree (parent_job_id) WHERE ((state = 'pending'::text) AND (published_at IS NOT NULL));
CREATE INDEX job_batch_waiting ON public.job_batch USING btree (parent_job_id, batch_index) WHERE ((state = 'pending'::text) AND (published_at IS NULL));

create table public.job_comment (
  id uuid not null default gen_random_uuid(),
  job_id uuid not null,
  author text,
  body text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  account_id uuid,
  constraint job_comment_pkey PRIMARY KEY (id),
  constraint job_comment_account_id_fkey FOREIGN KEY (account_id) REFERENCES user_account(id) ON DELETE SET NULL,
  constraint job_comment_body_check CHECK ((body <> ''::text)),
  constraint job_comment_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id) ON DELETE CASCADE
);
CREATE INDEX job_comment_account ON public.job_comment USING btree (account_id);
CREATE INDEX job_comment_job ON public.job_comment USING btree (job_id, created_at, id);

create table public.job_event (
  id bigint not null generated always as identity,
  job_id uuid not null,
  ts timestamp with time zone not null default clock_timestamp(),
  level text not null default 'info'::text,
  event text not null,
  message text,
  fields jsonb not null default '{}'::jsonb,
  constraint job_event_pkey PRIMARY KEY (id),
  constraint job_event_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id) ON DELETE CASCADE,
  constraint job_event_level_check CHECK ((level = ANY (ARRAY['info'::text, 'warning'::text, 'error'::text])))
);
CREATE INDEX job_event_job ON public.job_event USING btree (job_id, ts DESC, id DESC);

create table public.login_address (
  user_id uuid not null,
  address_hash character(64) not null,
  last_login_at timestamp with time zone not null default clock_timestamp(),
  constraint login_address_pkey PRIMARY KEY (user_id, address_hash),
  constraint login_address_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
);
CREATE INDEX login_address_last_login ON public.login_address USING btree (last_login_at);

create table public.login_failure (
  account_hash character(64) not null,
  address_hash character(64) not null,
  failures integer not null,
  blocked_until timestamp with time zone not null,
  failed_at timestamp with time zone not null,
  constraint login_failure_pkey PRIMARY KEY (account_hash, address_hash)
);
CREATE INDEX login_failure_failed ON public.login_failure USING btree (failed_at);

create table public.mail_token (
  token_hash character(64) not null,
  user_id uuid not null,
  purpose text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint mail_token_pkey PRIMARY KEY (token_hash),
  constraint mail_token_purpose_check CHECK ((purpose = ANY (ARRAY['magic_link'::text, 'password_reset'::text]))),
  constraint mail_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
);
CREATE INDEX mail_token_expires ON public.mail_token USING btree (expires_at);
CREATE INDEX mail_token_user ON public.mail_token USING btree (user_id);

create table public.maintenance_run (
  name text not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  constraint maintenance_run_pkey PRIMARY KEY (name)
);

create table public.ontology_snapshot (
  id uuid not null default gen_random_uuid(),
  obo_version text not null,
  obo_url text not null,
  obo_sha256 character(64) not null,
  ia_url text,
  term_counts jsonb not null,
  relationship_count bigint not null,
  alt_id_count bigint not null,
  loaded_at timestamp with time zone not null default clock_timestamp(),
  constraint ontology_snapshot_pkey PRIMARY KEY (id),
  constraint ontology_snapshot_obo_version_key UNIQUE (obo_version)
);
CREATE TRIGGER ontology_snapshot_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.ontology_snapshot FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.passkey (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  name text not null,
  host text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_used_at timestamp with time zone,
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_credential_id_key UNIQUE (credential_id),
  constraint passkey_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
);
CREATE INDEX passkey_user ON public.passkey USING btree (user_id);

create table public.prediction_set (
  id uuid not null default gen_random_uuid(),
  number integer not null generated always as identity,
  job_id uuid,
  embedding_config_id uuid,
  annotation_set_id uuid,
  ontology_snapshot_id uuid not null,
  query_set_id uuid,
  limit_per_entry integer not null,
  distance_threshold double precision,
  metric text not null default 'cosine'::text,
  parameters jsonb not null default '{}'::jsonb,
  prediction_count bigint not null default 0,
  protein_count bigint not null default 0,
  owner_user_id uuid,
  listed boolean not null default true,
  expires_at timestamp with time zone,
  meta jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  method text not null default 'knn'::text,
  visibility text not null default 'link'::text,
  status text not null default 'complete'::text,
  query_count bigint,
  more_embedding_config_ids uuid[] generated always as (uuids_of((parameters -> 'more_embedding_config_ids'::text))) stored,
  more_annotation_set_ids uuid[] generated always as (uuids_of((parameters -> 'more_annotation_set_ids'::text))) stored,
  constraint prediction_set_pkey PRIMARY KEY (id),
  constraint prediction_set_annotation_set_id_fkey FOREIGN KEY (annotation_set_id) REFERENCES annotation_set(id),
  constraint prediction_set_embedding_config_id_fkey FOREIGN KEY (embedding_config_id) REFERENCES embedding_config(id),
  constraint prediction_set_metric_check CHECK ((metric = ANY (ARRAY['cosine'::text, 'l2'::text]))),
  constraint prediction_set_number_key UNIQUE (number),
  constraint prediction_set_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id),
  constraint prediction_set_query_set_id_fkey FOREIGN KEY (query_set_id) REFERENCES query_set(id) ON DELETE SET NULL,
  constraint prediction_set_status_check CHECK ((status = ANY (ARRAY['filling'::text, 'complete'::text, 'incomplete'::text]))),
  constraint prediction_set_visibility_check CHECK ((visibility = ANY (ARRAY['link'::text, 'listed'::text])))
);
CREATE INDEX prediction_set_annotation_set ON public.prediction_set USING btree (annotation_set_id);
CREATE INDEX prediction_set_config ON public.prediction_set USING btree (embedding_config_id);
CREATE INDEX prediction_set_created ON public.prediction_set USING btree (created_at DESC, id DESC) WHERE listed;
CREATE INDEX prediction_set_expires ON public.prediction_set USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX prediction_set_filling ON public.prediction_set USING btree (id) WHERE (status = 'filling'::text);
CREATE INDEX prediction_set_more_annotations ON public.prediction_set USING gin (more_annotation_set_ids);
CREATE INDEX prediction_set_more_configs ON public.prediction_set USING gin (more_embedding_config_ids);
CREATE INDEX prediction_set_owner ON public.prediction_set USING btree (owner_user_id, created_at DESC, id DESC) WHERE listed;
CREATE INDEX prediction_set_query_set ON public.prediction_set USING btree (query_set_id);
CREATE INDEX prediction_set_snapshot ON public.prediction_set USING btree (ontology_snapshot_id);
CREATE INDEX prediction_set_visible ON public.prediction_set USING btree (created_at DESC, id DESC) WHERE (listed AND (visibility = 'listed'::text));
CREATE UNIQUE INDEX prediction_set_job ON public.prediction_set USING btree (job_id) WHERE (job_id IS NOT NULL);
CREATE TRIGGER prediction_set_annotations AFTER INSERT ON public.prediction_set FOR EACH ROW WHEN ((cardinality(new.more_annotation_set_ids) > 0)) EXECUTE FUNCTION refuse_absent_annotations();
CREATE TRIGGER prediction_set_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.prediction_set FOR EACH STATEMENT EXECUTE FUNCTION tell_change();
CREATE TRIGGER prediction_set_configs AFTER INSERT ON public.prediction_set FOR EACH ROW WHEN ((cardinality(new.more_embedding_config_ids) > 0)) EXECUTE FUNCTION refuse_absent_configs();

create table public.prediction_set_protein (
  prediction_set_number integer not null,
  protein_accession text not null,
  sequence_id bigint not null,
  term_count integer not null,
  prediction_count integer not null,
  min_distance real,
  no_answer text,
  known_accession text,
  known_by text,
  donors bytea,
  known_identity real,
  known_coverage real,
  is_namesake boolean not null default false,
  annotation_set_number integer,
  distant_accession text,
  distant_e_value real,
  constraint prediction_set_protein_pkey PRIMARY KEY (prediction_set_number, protein_accession),
  constraint prediction_set_protein_known_by_check CHECK ((known_by = ANY (ARRAY['accession'::text, 'sequence'::text, 'alignment'::text])))
);
CREATE INDEX prediction_set_protein_annotations ON public.prediction_set_protein USING btree (annotation_set_number) WHERE (annotation_set_number IS NOT NULL);
CREATE INDEX prediction_set_protein_order ON public.prediction_set_protein USING btree (prediction_set_number, protein_accession COLLATE "C");
CREATE TRIGGER prediction_set_protein_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.prediction_set_protein FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.process_report (
  id text not null,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  fingerprints jsonb not null,
  last_seen_at timestamp with time zone not null default clock_timestamp(),
  constraint process_report_pkey PRIMARY KEY (id)
);

create table public.protein (
  id integer not null generated always as identity,
  accession text not null,
  canonical_accession text not null,
  isoform_index integer,
  entry_name text,
  reviewed boolean,
  protein_name text,
  gene_name text,
  organism text,
  taxonomy_id integer,
  length integer not null,
  sequence_id bigint not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint protein_pkey PRIMARY KEY (id),
  constraint protein_accession_key UNIQUE (accession),
  constraint protein_sequence_id_fkey FOREIGN KEY (sequence_id) REFERENCES sequence(id)
);
CREATE INDEX protein_canonical_accession ON public.protein USING btree (canonical_accession);
CREATE INDEX protein_organism ON public.protein USING btree (organism, accession);
CREATE INDEX protein_reviewed ON public.protein USING btree (reviewed, accession);
CREATE INDEX protein_sequence_id ON public.protein USING btree (sequence_id);
CREATE INDEX protein_taxonomy_id ON public.protein USING btree (taxonomy_id, accession);
CREATE TRIGGER protein_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.protein FOR EACH STATEMENT EXECUTE FUNCTION tell_change();
CREATE TRIGGER protein_sequence_changes AFTER UPDATE OF sequence_id ON public.protein FOR EACH ROW WHEN ((old.sequence_id IS DISTINCT FROM new.sequence_id)) EXECUTE FUNCTION note_bank_change();

create table public.protein_go_annotation (
  annotation_set_number integer not null,
  protein_id integer not null,
  go_term_id integer not null,
  qualifier text,
  evidence_code text not null,
  assigned_by text,
  db_reference text,
  with_from text,
  annotation_date text
) partition by LIST (annotation_set_number);
CREATE INDEX protein_go_annotation_protein ON ONLY public.protein_go_annotation USING btree (protein_id);

create table public.protein_metadata (
  canonical_accession text not null,
  absorption text,
  active_site text,
  binding_site text,
  catalytic_activity text,
  cofactor text,
  dna_binding text,
  ec_number text,
  activity_regulation text,
  function_cc text,
  pathway text,
  kinetics text,
  ph_dependence text,
  redox_potential text,
  rhea_id text,
  site text,
  temperature_dependence text,
  keywords text,
  features text,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint protein_metadata_pkey PRIMARY KEY (canonical_accession)
);
CREATE TRIGGER protein_metadata_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.protein_metadata FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.protein_search (
  accession text not null,
  words tsvector not null,
  constraint protein_search_pkey PRIMARY KEY (accession),
  constraint protein_search_accession_fkey FOREIGN KEY (accession) REFERENCES protein(accession) ON DELETE CASCADE
);
CREATE INDEX protein_search_words ON public.protein_search USING gin (words);

create table public.protein_search_state (
  only_row boolean not null default true,
  indexed_to bigint not null default 0,
  constraint protein_search_state_pkey PRIMARY KEY (only_row),
  constraint protein_search_state_only_row_check CHECK (only_row)
);

create table public.query_set (
  id uuid not null default gen_random_uuid(),
  name text not null,
  description text,
  entry_count integer not null,
  owner_user_id uuid,
  listed boolean not null default true,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp(),
  visibility text not null default 'link'::text,
  constraint query_set_pkey PRIMARY KEY (id),
  constraint query_set_visibility_check CHECK ((visibility = ANY (ARRAY['link'::text, 'listed'::text])))
);
CREATE INDEX query_set_created ON public.query_set USING btree (created_at DESC, id DESC) WHERE listed;
CREATE INDEX query_set_expires ON public.query_set USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX query_set_owner ON public.query_set USING btree (owner_user_id, created_at DESC, id DESC) WHERE listed;
CREATE INDEX query_set_visible ON public.query_set USING btree (created_at DESC, id DESC) WHERE (listed AND (visibility = 'listed'::text));

create table public.query_set_entry (
  id bigint not null generated always as identity,
  query_set_id uuid not null,
  "position" integer not null,
  header text not null,
  accession text not null,
  taxonomy_id integer,
  sequence_id bigint not null,
  constraint query_set_entry_pkey PRIMARY KEY (id),
  constraint query_set_entry_query_set_id_accession_key UNIQUE (query_set_id, accession),
  constraint query_set_entry_query_set_id_fkey FOREIGN KEY (query_set_id) REFERENCES query_set(id) ON DELETE CASCADE,
  constraint query_set_entry_query_set_id_position_key UNIQUE (query_set_id, "position"),
  constraint query_set_entry_sequence_id_fkey FOREIGN KEY (sequence_id) REFERENCES sequence(id)
);
CREATE INDEX query_set_entry_sequence ON public.query_set_entry USING btree (sequence_id);

create table public.query_set_hit_file (
  query_set_id uuid not null,
  about jsonb not null,
  constraint query_set_hit_file_pkey PRIMARY KEY (query_set_id),
  constraint query_set_hit_file_query_set_id_fkey FOREIGN KEY (query_set_id) REFERENCES query_set(id) ON DELETE CASCADE
);

create table public.query_set_hits (
  query_set_id uuid not null,
  accession text not null,
  hits jsonb not null,
  constraint query_set_hits_pkey PRIMARY KEY (query_set_id, accession),
  constraint query_set_hits_query_set_id_fkey FOREIGN KEY (query_set_id) REFERENCES query_set_hit_file(query_set_id) ON DELETE CASCADE
);

create table public.quota (
  key text not null,
  resource text not null,
  period_start timestamp with time zone not null,
  count bigint not null,
  "limit" bigint,
  constraint quota_pkey PRIMARY KEY (key, resource, period_start)
);

create table public.reference (
  id uuid not null default gen_random_uuid(),
  number integer not null generated always as identity,
  name text not null,
  version text not null,
  status text not null default 'building'::text,
  content_sha256 character(64),
  evidence text not null default 'all'::text,
  inputs jsonb not null default '{}'::jsonb,
  inputs_sha256 character(64),
  ontology_snapshot_id uuid,
  annotation_set_id uuid,
  make_default boolean not null default false,
  parts jsonb not null default '[]'::jsonb,
  protein_count bigint not null default 0,
  left_out jsonb not null default '{}'::jsonb,
  job_id uuid,
  error text,
  created_at timestamp with time zone not null default clock_timestamp(),
  completed_at timestamp with time zone,
  reliability jsonb,
  constraint reference_pkey PRIMARY KEY (id),
  constraint reference_annotation_set_id_fkey FOREIGN KEY (annotation_set_id) REFERENCES annotation_set(id),
  constraint reference_annotation_set_id_key UNIQUE (annotation_set_id),
  constraint reference_evidence_check CHECK ((evidence = ANY (ARRAY['all'::text, 'experimental'::text]))),
  constraint reference_name_check CHECK (((length(name) >= 1) AND (length(name) <= 64))),
  constraint reference_name_version_key UNIQUE (name, version),
  constraint reference_number_key UNIQUE (number),
  constraint reference_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id),
  constraint reference_status_check CHECK ((status = ANY (ARRAY['building'::text, 'complete'::text, 'failed'::text]))),
  constraint reference_version_check CHECK (((length(version) >= 1) AND (length(version) <= 64)))
);
CREATE INDEX reference_created ON public.reference USING btree (created_at DESC, id DESC);
CREATE INDEX reference_inputs ON public.reference USING btree (name, inputs_sha256);
CREATE INDEX reference_job ON public.reference USING btree (job_id);
CREATE INDEX reference_snapshot ON public.reference USING btree (ontology_snapshot_id);
CREATE TRIGGER reference_set_changes AFTER UPDATE OF annotation_set_id ON public.reference FOR EACH ROW WHEN ((old.annotation_set_id IS DISTINCT FROM new.annotation_set_id)) EXECUTE FUNCTION note_bank_change();

create table public.reference_download (
  source text not null,
  state text not null,
  sha256 text not null,
  size_bytes bigint not null,
  downloaded_at timestamp with time zone not null default clock_timestamp(),
  constraint reference_download_pkey PRIMARY KEY (source)
);

create table public.reference_file (
  sha256 character(64) not null,
  size_bytes bigint not null,
  uri text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint reference_file_pkey PRIMARY KEY (sha256)
);

create table public.reference_pack (
  reference_number integer not null,
  uri text not null,
  sha256 character(64) not null,
  size_bytes bigint not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint reference_pack_pkey PRIMARY KEY (reference_number),
  constraint reference_pack_reference_number_fkey FOREIGN KEY (reference_number) REFERENCES reference(number) ON DELETE CASCADE
);
CREATE INDEX reference_pack_created ON public.reference_pack USING btree (created_at);

create table public.reference_protein (
  reference_number integer not null,
  protein_id integer not null,
  sequence_id bigint not null,
  taxonomy_id integer,
  constraint reference_protein_pkey PRIMARY KEY (reference_number, protein_id),
  constraint reference_protein_protein_id_fkey FOREIGN KEY (protein_id) REFERENCES protein(id),
  constraint reference_protein_reference_number_fkey FOREIGN KEY (reference_number) REFERENCES reference(number) ON DELETE CASCADE,
  constraint reference_protein_sequence_id_fkey FOREIGN KEY (sequence_id) REFERENCES sequence(id)
);
CREATE INDEX reference_protein_protein ON public.reference_protein USING btree (protein_id);
CREATE INDEX reference_protein_sequence ON public.reference_protein USING btree (sequence_id);

create table public.reference_vectors (
  reference_number integer not null,
  "position" integer not null,
  embedding_config_id uuid not null,
  vector_count bigint not null default 0,
  constraint reference_vectors_pkey PRIMARY KEY (reference_number, "position"),
  constraint reference_vectors_embedding_config_id_fkey FOREIGN KEY (embedding_config_id) REFERENCES embedding_config(id),
  constraint reference_vectors_reference_number_embedding_config_id_key UNIQUE (reference_number, embedding_config_id),
  constraint reference_vectors_reference_number_fkey FOREIGN KEY (reference_number) REFERENCES reference(number) ON DELETE CASCADE
);
CREATE INDEX reference_vectors_config ON public.reference_vectors USING btree (embedding_config_id);

create table public.reranker_model (
  id uuid not null default gen_random_uuid(),
  name text not null,
  run_id text not null,
  model_data text,
  artifact_uri text,
  model_sha256 character(64) not null,
  model_bytes integer not null,
  objective text not null,
  tree_count integer not null,
  feature_names text[] not null,
  feature_schema_sha text not null,
  schema_sha_v2 text,
  category_values jsonb not null,
  category text,
  aspect character(1),
  embedding_config_id uuid,
  ontology_snapshot_id uuid,
  dataset_id uuid,
  producer_version text,
  producer_git_sha text,
  external_source text,
  spec_yaml text not null,
  run_json jsonb not null,
  metrics jsonb not null,
  feature_importance jsonb not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint reranker_model_pkey PRIMARY KEY (id),
  constraint reranker_model_artifact_uri_check CHECK (((length(artifact_uri) >= 1) AND (length(artifact_uri) <= 512))),
  constraint reranker_model_aspect_check CHECK ((aspect = ANY (ARRAY['P'::bpchar, 'F'::bpchar, 'C'::bpchar]))),
  constraint reranker_model_category_check CHECK ((category = ANY (ARRAY['nk'::text, 'lk'::text, 'pk'::text]))),
  constraint reranker_model_check CHECK (((model_data IS NULL) <> (artifact_uri IS NULL))),
  constraint reranker_model_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES dataset(id) ON DELETE SET NULL,
  constraint reranker_model_embedding_config_id_fkey FOREIGN KEY (embedding_config_id) REFERENCES embedding_config(id) ON DELETE SET NULL,
  constraint reranker_model_external_source_check CHECK ((length(external_source) <= 500)),
  constraint reranker_model_feature_schema_sha_check CHECK (((length(feature_schema_sha) >= 1) AND (length(feature_schema_sha) <= 16))),
  constraint reranker_model_model_bytes_check CHECK ((model_bytes > 0)),
  constraint reranker_model_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint reranker_model_name_key UNIQUE (name),
  constraint reranker_model_ontology_snapshot_id_fkey FOREIGN KEY (ontology_snapshot_id) REFERENCES ontology_snapshot(id) ON DELETE SET NULL,
  constraint reranker_model_producer_git_sha_check CHECK ((length(producer_git_sha) <= 40)),
  constraint reranker_model_producer_version_check CHECK ((length(producer_version) <= 64)),
  constraint reranker_model_run_id_check CHECK (((length(run_id) >= 1) AND (length(run_id) <= 200))),
  constraint reranker_model_schema_sha_v2_check CHECK ((length(schema_sha_v2) = 16)),
  constraint reranker_model_tree_count_check CHECK ((tree_count > 0))
);
CREATE INDEX reranker_model_artifact ON public.reranker_model USING btree (artifact_uri);
CREATE INDEX reranker_model_created ON public.reranker_model USING btree (created_at DESC, id DESC);
CREATE INDEX reranker_model_dataset ON public.reranker_model USING btree (dataset_id);
CREATE INDEX reranker_model_embedding_config ON public.reranker_model USING btree (embedding_config_id);
CREATE INDEX reranker_model_ontology_snapshot ON public.reranker_model USING btree (ontology_snapshot_id);
CREATE TRIGGER reranker_model_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.reranker_model FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.scoring_config (
  id uuid not null default gen_random_uuid(),
  name text not null,
  formula text not null,
  weights jsonb not null,
  evidence_weights jsonb,
  params jsonb not null default '{}'::jsonb,
  description text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint scoring_config_pkey PRIMARY KEY (id),
  constraint scoring_config_formula_check CHECK ((formula = ANY (ARRAY['linear'::text, 'evidence_weighted'::text]))),
  constraint scoring_config_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint scoring_config_name_key UNIQUE (name)
);
CREATE INDEX scoring_config_created ON public.scoring_config USING btree (created_at DESC, id DESC);

create table public.secondary_accession (
  secondary text not null,
  accession text not null,
  constraint secondary_accession_pkey PRIMARY KEY (secondary, accession)
);
CREATE INDEX secondary_accession_accession ON public.secondary_accession USING btree (accession);
CREATE TRIGGER secondary_accession_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.secondary_accession FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.secondary_accession_source (
  only_row boolean not null default true,
  source_url text not null,
  content_sha256 text not null,
  pair_count integer not null,
  job_id uuid,
  loaded_at timestamp with time zone not null default clock_timestamp(),
  constraint secondary_accession_source_pkey PRIMARY KEY (only_row),
  constraint secondary_accession_source_only_row_check CHECK (only_row)
);

create table public.sequence (
  id bigint not null generated always as identity,
  sequence text not null,
  sequence_md5 character(32) not null,
  length integer not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint sequence_pkey PRIMARY KEY (id),
  constraint sequence_sequence_md5_key UNIQUE (sequence_md5)
);

create table public.sequence_embedding (
  embedding_config_number integer not null,
  sequence_id bigint not null,
  chunk_index_s integer not null default 0,
  chunk_index_e integer,
  embedding bytea not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint sequence_embedding_pkey PRIMARY KEY (embedding_config_number, sequence_id, chunk_index_s),
  constraint sequence_embedding_embedding_config_number_fkey FOREIGN KEY (embedding_config_number) REFERENCES embedding_config(number),
  constraint sequence_embedding_sequence_id_fkey FOREIGN KEY (sequence_id) REFERENCES sequence(id) ON DELETE CASCADE
) with (toast_tuple_target=2704);
alter table only public.sequence_embedding alter column embedding set storage external;
CREATE INDEX sequence_embedding_sequence ON public.sequence_embedding USING btree (sequence_id);
CREATE TRIGGER sequence_embedding_added AFTER INSERT ON public.sequence_embedding REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_vectors();
CREATE TRIGGER sequence_embedding_gone AFTER DELETE ON public.sequence_embedding REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_vectors();
CREATE TRIGGER sequence_embedding_replaced AFTER UPDATE ON public.sequence_embedding REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_vectors();

create table public.source_checkpoint (
  job_id uuid not null,
  checkpoint text not null,
  counts jsonb not null default '{}'::jsonb,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint source_checkpoint_pkey PRIMARY KEY (job_id)
);

create table public.source_file (
  url text not null,
  etag text,
  last_modified text,
  content_sha256 character(64) not null,
  read_at timestamp with time zone not null default clock_timestamp(),
  constraint source_file_pkey PRIMARY KEY (url)
);

create table public.stated_term_file (
  query_set_id uuid not null,
  program text not null,
  about jsonb not null,
  constraint stated_term_file_pkey PRIMARY KEY (query_set_id, program),
  constraint stated_term_file_query_set_id_fkey FOREIGN KEY (query_set_id) REFERENCES query_set(id) ON DELETE CASCADE
);

create table public.stated_terms (
  query_set_id uuid not null,
  program text not null,
  accession text not null,
  terms jsonb not null,
  constraint stated_terms_pkey PRIMARY KEY (query_set_id, program, accession),
  constraint stated_terms_query_set_id_program_fkey FOREIGN KEY (query_set_id, program) REFERENCES stated_term_file(query_set_id, program) ON DELETE CASCADE
);

create table public.support_entry (
  id uuid not null default gen_random_uuid(),
  comment text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint support_entry_pkey PRIMARY KEY (id),
  constraint support_entry_comment_check CHECK (((char_length(comment) >= 1) AND (char_length(comment) <= 500)))
);
CREATE INDEX support_entry_commented ON public.support_entry USING btree (created_at DESC, id DESC) WHERE (comment IS NOT NULL);

create table public.taxon (
  id integer not null,
  parent_id integer not null,
  rank text not null,
  name text,
  constraint taxon_pkey PRIMARY KEY (id)
);
CREATE TRIGGER taxon_changes AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.taxon FOR EACH STATEMENT EXECUTE FUNCTION tell_change();

create table public.taxon_constraints (
  only_row boolean not null default true,
  source_version text not null,
  content_sha256 text not null,
  constraints jsonb not null,
  unions jsonb not null,
  constraint_count integer not null,
  job_id uuid,
  loaded_at timestamp with time zone not null default clock_timestamp(),
  constraint taxon_constraints_pkey PRIMARY KEY (only_row),
  constraint taxon_constraints_only_row_check CHECK (only_row)
);

create table public.taxon_merged (
  old_id integer not null,
  new_id integer not null,
  constraint taxon_merged_pkey PRIMARY KEY (old_id)
);

create table public.taxonomy (
  id uuid not null default gen_random_uuid(),
  content_sha256 character(64) not null,
  files jsonb not null,
  taxon_count integer not null,
  merged_count integer not null,
  rejected_lines integer not null,
  job_id uuid,
  loaded_at timestamp with time zone not null default clock_timestamp(),
  constraint taxonomy_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX taxonomy_only_one ON public.taxonomy USING btree ((true));

create table public.user_account (
  id uuid not null default gen_random_uuid(),
  email text not null,
  username text not null,
  display_name text,
  password_hash text not null,
  role text not null default 'researcher'::text,
  status text not null default 'pending'::text,
  intended_use text,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_login_at timestamp with time zone,
  constraint user_account_pkey PRIMARY KEY (id),
  constraint user_account_email_key UNIQUE (email),
  constraint user_account_role_check CHECK ((role = ANY (ARRAY['guest'::text, 'researcher'::text, 'operator'::text, 'admin'::text]))),
  constraint user_account_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'deactivated'::text]))),
  constraint user_account_username_key UNIQUE (username)
);
CREATE INDEX user_account_created ON public.user_account USING btree (created_at DESC, id DESC);
CREATE UNIQUE INDEX user_account_username_any_case ON public.user_account USING btree (lower(username));

create table public.user_identity (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  institution text not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_login_at timestamp with time zone,
  constraint user_identity_pkey PRIMARY KEY (id),
  constraint user_identity_issuer_subject_key UNIQUE (issuer, subject),
  constraint user_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
);
CREATE INDEX user_identity_user ON public.user_identity USING btree (user_id);

create table public.user_session (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  jti uuid not null,
  token_hash character(64) not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  user_agent text,
  client_ip_hash text,
  constraint user_session_pkey PRIMARY KEY (id),
  constraint user_session_jti_key UNIQUE (jti),
  constraint user_session_token_hash_key UNIQUE (token_hash),
  constraint user_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
);
CREATE INDEX user_session_user ON public.user_session USING btree (user_id);

create table public.visitor_day (
  day date not null,
  visits bigint not null,
  visitors bigint not null,
  constraint visitor_day_pkey PRIMARY KEY (day)
);

create table public.visitor_event (
  id bigint not null generated always as identity,
  visitor_hash character(16) not null,
  occurred_at timestamp with time zone not null,
  constraint visitor_event_pkey PRIMARY KEY (id)
);
CREATE INDEX visitor_event_occurred ON public.visitor_event USING brin (occurred_at);

create table public.webhook (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  url text not null,
  description text,
  events text[] not null,
  operations text[],
  secret_number integer not null default 1,
  secret_sha256 character(64) not null,
  previous_secret_until timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  not_before timestamp with time zone not null default clock_timestamp(),
  sending_until timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint webhook_pkey PRIMARY KEY (id),
  constraint webhook_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
);
CREATE INDEX webhook_user ON public.webhook USING btree (user_id, created_at DESC, id DESC);

create table public.webhook_delivery (
  id uuid not null default gen_random_uuid(),
  webhook_id uuid not null,
  event text not null,
  job jsonb,
  state text not null default 'waiting'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone default clock_timestamp(),
  response_status integer,
  error text,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_attempt_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint webhook_delivery_pkey PRIMARY KEY (id),
  constraint webhook_delivery_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_ended ON public.webhook_delivery USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX webhook_delivery_list ON public.webhook_delivery USING btree (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_delivery_of_hook ON public.webhook_delivery USING btree (webhook_id, next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX webhook_delivery_waiting ON public.webhook_delivery USING btree (next_attempt_at, webhook_id) WHERE (state = 'waiting'::text);

create table public.worker_metric (
  metric text not null,
  sample text not null,
  labels jsonb not null,
  value double precision not null,
  constraint worker_metric_pkey PRIMARY KEY (sample, labels)
) with (fillfactor=70);

create table public.worker_process (
  id text not null,
  role text not null,
  host text not null,
  pid integer not null,
  queues text[] not null,
  version text not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  last_seen_at timestamp with time zone not null default clock_timestamp(),
  working integer not null default 0,
  draining boolean not null default false,
  unsettled jsonb not null default '{}'::jsonb,
  constraint worker_process_pkey PRIMARY KEY (id)
);

CREATE OR REPLACE FUNCTION audit.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin raise exception 'the audit log is append-only'; end $function$;

CREATE OR REPLACE FUNCTION audit.refuse_early_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.occurred_at < clock_timestamp() - interval '365 days'
    and exists (select from audit.audit_export e where old.id between e.first_id and e.last_id) then
    return old;
  end if;
  raise exception 'the audit log is append-only: a row may go when it is a year old and exported';
end $function$;

CREATE OR REPLACE FUNCTION public.end_prediction_set()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  made record;
begin
  if new.status = 'SUCCEEDED' then
    update prediction_set set status = 'complete' where job_id = new.id;
    return null;
  end if;
  if new.dispatched_at is null then
    delete from prediction_set s where s.job_id = new.id and s.status = 'filling'
      and not exists (select from prediction_set_protein p where p.prediction_set_number = s.number)
      and not exists (select from evaluation_result r where r.prediction_set_id = s.id);
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
end $function$;

CREATE OR REPLACE FUNCTION public.end_reference()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update reference set status = 'failed',
    error = coalesce(new.error_message, 'The build was cancelled; the same request goes on where it was.')
  where id::text = new.payload ->> 'reference_id' and status = 'building'
    and (job_id = new.id or job_id = new.parent_job_id) and new.operation <> 'measure_reference';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.forget_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update prediction_set set job_id = null, status = case status when 'filling' then 'incomplete' else status end
  where job_id = old.id;
  update annotation_set set job_id = null where job_id = old.id and state = 'complete';
  update evaluation_set set job_id = null where job_id = old.id;
  update evaluation_result set job_id = null where job_id = old.id;
  update dataset set job_id = null where job_id = old.id;
  update interpro_mapping set job_id = null where job_id = old.id;
  update taxonomy set job_id = null where job_id = old.id;
  update reference set job_id = null where job_id = old.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_bank_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin insert into bank_change default values; return null; end $function$;

CREATE OR REPLACE FUNCTION public.note_vectors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into bank_change (embedding_config_number)
  select n.embedding_config_number from (select distinct embedding_config_number from changed) n
  where exists (
    select from changed c cross join lateral (select from protein where sequence_id = c.sequence_id limit 1) p
    where c.embedding_config_number = n.embedding_config_number)
  or exists (
    select from changed c cross join lateral (select from reference_protein where sequence_id = c.sequence_id limit 1) m
    where c.embedding_config_number = n.embedding_config_number);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.queue_webhooks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare form constant text := 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"';
begin
  insert into webhook_delivery (webhook_id, event, job)
  select w.id, 'job.' || lower(new.status), jsonb_build_object(
    'id', new.id, 'operation', new.operation, 'status', new.status, 'parent_job_id', new.parent_job_id,
    'description', left(new.description, 1000), 'tags', new.tags,
    'error_code', new.error_code, 'error_message', left(new.error_message, 4000),
    'created_at', to_char(new.created_at at time zone 'UTC', form), 'started_at', to_char(new.started_at at time zone 'UTC', form),
    'finished_at', to_char(new.finished_at at time zone 'UTC', form),
    'result', case when octet_length(new.result::text) <= 16384 then new.result end)
  from webhook w
  where w.user_id = new.owner_user_id and w.disabled_at is null and 'job.' || lower(new.status) = any(w.events)
    and (w.operations is null or new.operation = any(w.operations));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_absent_annotations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from annotation_set where id = any (new.more_annotation_set_ids) for key share;
  if (select count(*) from annotation_set where id = any (new.more_annotation_set_ids)) < cardinality(new.more_annotation_set_ids) then
    raise foreign_key_violation using message = 'an annotation set of prediction set ' || new.id || ' was deleted';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_absent_configs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from embedding_config where id = any (new.more_embedding_config_ids) for key share;
  if (select count(*) from embedding_config where id = any (new.more_embedding_config_ids)) < cardinality(new.more_embedding_config_ids) then
    raise foreign_key_violation using message = 'an embedding configuration of prediction set ' || new.id || ' was deleted';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin perform pg_notify('kindred_changes', tg_table_name); return null; end $function$;

CREATE OR REPLACE FUNCTION public.uuids_of(list jsonb)
 RETURNS uuid[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(array_agg(value::uuid order by value), '{}')
  from jsonb_array_elements_text(case jsonb_typeof(list) when 'array' then list else '[]' end)
$function$;
