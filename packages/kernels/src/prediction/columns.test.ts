import { describe, expect, it } from 'vitest';
import { columnsIn, columnsOf, predictionColumn, predictionColumnNames, replyNameOf } from './index.js';

/** The columns are as published, because readers of the file rely on the order. */
const tsvColumns = `
  protein_accession go_id go_name go_aspect distance ref_protein_accession qualifier evidence_code
  identity_nw similarity_nw alignment_score_nw gaps_pct_nw alignment_length_nw
  identity_sw similarity_sw alignment_score_sw gaps_pct_sw alignment_length_sw length_query length_ref
  query_taxonomy_id ref_taxonomy_id taxonomic_lca taxonomic_distance taxonomic_common_ancestors taxonomic_relation
  vote_count k_position go_term_frequency ref_annotation_density neighbor_distance_std neighbor_vote_fraction`
  .trim()
  .split(/\s+/);

describe('the prediction columns', () => {
  it('give predictions.tsv its 32 columns in order', () => {
    expect(columnsIn('tsv')).toEqual(tsvColumns);
  });

  it('give the reply the columns of the file under its own names, and what only the reply has', () => {
    const ofFile = tsvColumns.filter((name) => name !== 'protein_accession');
    const renamed: Record<string, string> = { go_name: 'name', go_aspect: 'aspect' };
    const certainty = ['probability', 'probability_low', 'probability_high', 'calibrated_on'];
    const source = [
      'source_kind',
      'source_id',
      'source_identity',
      'source_found_by',
      'is_nearest',
      'contradiction',
    ];
    const support = ['similar_proteins', 'supporters'];
    const more = ['score', 'answer_rank', ...certainty, ...source, ...support];
    expect(columnsIn('reply').map(replyNameOf).sort()).toEqual(
      [...ofFile.map((name) => renamed[name] ?? name), ...more].sort(),
    );
  });

  it('are each stored once, save the keys, unless they are read from elsewhere', () => {
    const keys = ['prediction_set_number', 'protein_accession', 'go_term_id'];
    const stored = [...columnsOf('go_prediction'), ...columnsOf('go_prediction_pair_features')];
    expect(stored.filter((name, at) => stored.indexOf(name) !== at)).toEqual(keys);
    const derived = predictionColumnNames.filter((name) => predictionColumn(name).tables.length === 0);
    expect(derived).toEqual(['go_id', 'go_name', 'go_aspect', 'ref_protein_accession', 'aspect']);
  });
});
