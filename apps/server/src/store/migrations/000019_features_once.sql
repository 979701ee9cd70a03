-- What go_prediction already says of the nearest donor of a pair is no longer stored a second time with its features.

alter table go_prediction_features rename to go_prediction_pair_features;
alter index go_prediction_features_protein rename to go_prediction_pair_features_protein;
alter table go_prediction_pair_features
  drop column ref_protein_accession, drop column distance, drop column identity_nw, drop column similarity_nw, drop
  column alignment_score_nw, drop column gaps_pct_nw, drop column alignment_length_nw, drop column identity_sw, drop
  column similarity_sw, drop column alignment_score_sw, drop column gaps_pct_sw, drop column alignment_length_sw, drop
  column length_query, drop column length_ref, drop column taxonomic_distance, drop column taxonomic_common_ancestors,
  drop column vote_count, drop column k_position, drop column go_term_frequency, drop column ref_annotation_density,
  drop column neighbor_distance_std, drop column neighbor_vote_fraction, drop column qualifier, drop column
  evidence_code, drop column taxonomic_relation, drop column aspect;

-- The whole feature vector of each (query, term): the features of the pair beside the columns of its nearest donor.
-- Join it with the accessions that are wanted: a list of them would be compared with one of the two tables only.
create view go_prediction_features as
select p.prediction_set_number, p.protein_accession, p.go_term_id, p.ref_protein_accession,
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
