import type { ScoringRecipe } from './composite.js';

export interface ScoringPreset {
  name: string;
  description: string;
  recipe: Pick<ScoringRecipe, 'formula' | 'weights'>;
}

const linear = (weights: ScoringRecipe['weights']): ScoringPreset['recipe'] => ({
  formula: 'linear',
  weights,
});

export const scoringPresets: readonly ScoringPreset[] = [
  {
    name: 'embedding_only',
    description: 'Similarity of the vectors alone: the score of a prediction without a recipe',
    recipe: linear({ embedding_similarity: 1 }),
  },
  {
    name: 'vote_fraction',
    description: 'Share of the neighbours that carry the term',
    recipe: linear({ neighbor_vote_fraction: 1 }),
  },
  {
    name: 'alignment_only',
    description: 'Identity of the global and the local alignment',
    recipe: linear({ identity_nw: 0.6, identity_sw: 0.4 }),
  },
  {
    name: 'embedding_plus_alignment',
    description: 'Similarity of the vectors, half; identity of the alignments, half',
    recipe: linear({ embedding_similarity: 0.5, identity_nw: 0.3, identity_sw: 0.2 }),
  },
  {
    name: 'embedding_plus_vote',
    description: 'Similarity of the vectors, half; share of the neighbours, half',
    recipe: linear({ embedding_similarity: 0.5, neighbor_vote_fraction: 0.5 }),
  },
  {
    name: 'evidence_primary',
    description: 'The evidence of the source before all else',
    recipe: linear({ embedding_similarity: 0.2, evidence_weight: 0.8 }),
  },
  {
    name: 'evidence_veto',
    description: 'Similarity of the vectors times the weight of the evidence',
    recipe: { formula: 'evidence_weighted', weights: { embedding_similarity: 1 } },
  },
  {
    name: 'composite',
    description: 'Vectors, alignments, taxa and votes together',
    recipe: linear({
      embedding_similarity: 0.4,
      identity_nw: 0.2,
      identity_sw: 0.1,
      taxonomic_proximity: 0.1,
      neighbor_vote_fraction: 0.2,
    }),
  },
];
