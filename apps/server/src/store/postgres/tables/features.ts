import type { Generated } from 'kysely';
import type { Timestamp } from './values.js';

type Columns<Name extends string, Value> = { [Key in Name]: Value | null };

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Axis = Digit | `1${0 | 1 | 2 | 3 | 4 | 5}`;

/** One row per (query, term): the columns of `@kindred/kernels/features`. */
export interface GoPredictionFeaturesTable
  extends Columns<
      | 'identity_nw'
      | 'similarity_nw'
      | 'alignment_score_nw'
      | 'gaps_pct_nw'
      | 'alignment_length_nw'
      | 'identity_sw'
      | 'similarity_sw'
      | 'alignment_score_sw'
      | 'gaps_pct_sw'
      | 'alignment_length_sw'
      | 'length_query'
      | 'length_ref'
      | 'taxonomic_distance'
      | 'taxonomic_common_ancestors'
      | 'vote_count'
      | 'k_position'
      | 'go_term_frequency'
      | 'ref_annotation_density'
      | 'neighbor_distance_std'
      | 'neighbor_vote_fraction'
      | 'neighbor_min_distance'
      | 'neighbor_mean_distance'
      | 'anc2vec_neighbor_cos'
      | 'anc2vec_neighbor_maxcos'
      | 'anc2vec_query_known_cos'
      | 'anc2vec_query_known_maxcos'
      | 'anc2vec_query_known_count'
      | 'tax_voters_same_frac'
      | 'tax_voters_close_frac'
      | 'tax_voters_mean_common_ancestors'
      | `emb_pca_query_${Axis}`
      | 'lineage_ancestor_of_count'
      | 'lineage_descendant_of_count',
      number
    >,
    Columns<'anc2vec_has_emb' | 'lineage_is_ancestor_of_known' | 'lineage_is_descendant_of_known', boolean>,
    Columns<'qualifier' | 'evidence_code' | 'taxonomic_relation', string> {
  prediction_set_number: number;
  protein_accession: string;
  go_term_id: number;
  ref_protein_accession: string;
  distance: number;
  /** bpo, mfo or cco. */
  aspect: string;
}

export interface EmbeddingProjectionTable {
  embedding_config_number: number;
  sampled_sequences: number;
  axes: number;
  mean: Buffer;
  components: Buffer;
  content_sha256: string;
  created_at: Generated<Timestamp>;
}
