-- The feature vector of each (query, term) pair, and what the projection of the vectors needs.

-- Columns are those of @kindred/kernels/features, in its order. A row belongs to the nearest donor of the pair. As with
-- go_prediction, a batch is written in one transaction with its ledger row.
create table go_prediction_features (
  prediction_set_number integer not null,
  protein_accession text not null,
  go_term_id integer not null,
  ref_protein_accession text not null,
  distance real not null,
  identity_nw real, similarity_nw real, alignment_score_nw real, gaps_pct_nw real, alignment_length_nw real,
  identity_sw real, similarity_sw real, alignment_score_sw real, gaps_pct_sw real, alignment_length_sw real,
  length_query integer, length_ref integer,
  taxonomic_distance integer, taxonomic_common_ancestors integer,
  vote_count integer, k_position integer, go_term_frequency integer, ref_annotation_density integer,
  neighbor_distance_std real, neighbor_vote_fraction real, neighbor_min_distance real, neighbor_mean_distance real,
  anc2vec_neighbor_cos real, anc2vec_neighbor_maxcos real, anc2vec_has_emb boolean,
  anc2vec_query_known_cos real, anc2vec_query_known_maxcos real, anc2vec_query_known_count integer,
  tax_voters_same_frac real, tax_voters_close_frac real, tax_voters_mean_common_ancestors real,
  emb_pca_query_0 real, emb_pca_query_1 real, emb_pca_query_2 real, emb_pca_query_3 real,
  emb_pca_query_4 real, emb_pca_query_5 real, emb_pca_query_6 real, emb_pca_query_7 real,
  emb_pca_query_8 real, emb_pca_query_9 real, emb_pca_query_10 real, emb_pca_query_11 real,
  emb_pca_query_12 real, emb_pca_query_13 real, emb_pca_query_14 real, emb_pca_query_15 real,
  lineage_is_ancestor_of_known boolean, lineage_is_descendant_of_known boolean,
  lineage_ancestor_of_count integer, lineage_descendant_of_count integer,
  qualifier text, evidence_code text, taxonomic_relation text,
  aspect text not null
);
create index go_prediction_features_protein on go_prediction_features (prediction_set_number, protein_accession, go_term_id);

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
