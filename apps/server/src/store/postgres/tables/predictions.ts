import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface PredictionSetTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  job_id: string | null;
  /** knn, interpro, ... */
  method: Generated<string>;
  /** null where no vectors were compared. */
  embedding_config_id: string | null;
  /** null where no annotated donors were used. */
  annotation_set_id: string | null;
  ontology_snapshot_id: string;
  query_set_id: string | null;
  limit_per_entry: number;
  distance_threshold: number | null;
  metric: Generated<string>;
  parameters: Generated<Json>;
  prediction_count: Generated<number>;
  protein_count: Generated<number>;
  owner_user_id: string | null;
  listed: Generated<boolean>;
  expires_at: Timestamp | null;
  meta: Generated<Json>;
  created_at: Generated<Timestamp>;
}

export interface GoPredictionTable {
  prediction_set_number: number;
  protein_accession: string;
  go_term_id: number;
  /** null where a term has no donor. */
  ref_protein_accession: string | null;
  distance: number;
  score: number;
  term_rank: number;
  is_nearest: boolean;
  qualifier: string | null;
  evidence_code: string | null;
  identity_nw: number | null;
  similarity_nw: number | null;
  alignment_score_nw: number | null;
  gaps_pct_nw: number | null;
  alignment_length_nw: number | null;
  identity_sw: number | null;
  similarity_sw: number | null;
  alignment_score_sw: number | null;
  gaps_pct_sw: number | null;
  alignment_length_sw: number | null;
  length_query: number | null;
  length_ref: number | null;
  query_taxonomy_id: number | null;
  ref_taxonomy_id: number | null;
  taxonomic_lca: number | null;
  taxonomic_distance: number | null;
  taxonomic_common_ancestors: number | null;
  taxonomic_relation: string | null;
  vote_count: number | null;
  k_position: number | null;
  go_term_frequency: number | null;
  ref_annotation_density: number | null;
  neighbor_distance_std: number | null;
  neighbor_vote_fraction: number | null;
  predictions_jsonb: Json | null;
}

export interface PredictionSetProteinTable {
  prediction_set_number: number;
  protein_accession: string;
  sequence_id: number;
  term_count: number;
  prediction_count: number;
  min_distance: number | null;
}
