/**
 * The columns of the combination, in order. NaN is "not known" and never 0: a protein without annotations of its own has no
 * `own_*`, a term without a donor no identity. Values are rounded to float32, so that a model trained on files of float32 sees
 * the same numbers.
 */
export const combinedFeatures = [
  /** Votes by alignment: (sum of w over donors with the term + c f) / (sum of w of donors that speak of the aspect + c). */
  'align_votes_experimental',
  'align_votes_any',
  /** Share of the weight whose donor has the term by that evidence, shrunk to 0. */
  'align_votes_phylogenetic',
  'align_votes_similarity',
  'align_votes_signature',
  'align_votes_vocabulary',
  'align_votes_rule',
  /** Donors with the term. */
  'align_donors_experimental',
  'align_donors_any',
  /** Highest identity of a donor with the term, 0 to 1. */
  'align_identity_experimental',
  'align_identity_any',
  /** Highest alignment score of a donor with the term, as a share of the query's score with itself. */
  'align_share_experimental',
  'align_share_any',
  /** Sum of w of the donors that speak of the aspect by experiment. */
  'align_weight',
  /** Votes by the distance of vectors, as those by alignment. */
  'distance_votes_experimental',
  'distance_votes_any',
  /** Distance of the nearest donor with the term. */
  'distance_nearest',
  /** 1 where the protein has the term without an experiment. */
  'own_electronic',
  /** Evidence groups that say so. */
  'own_groups',
  'own_phylogenetic',
  'own_similarity',
  'own_signature',
  'own_vocabulary',
  'own_rule',
  /** Share of the term's direct parents that the protein has: by experiment, by any evidence. */
  'parents_known',
  'parents_own',
  /** Bits that the term adds to the most informative known term above it. */
  'gap_known',
  'gap_own',
  /** Bits that the protein's most informative term at or below this one adds to it; NaN where it does not have the term. */
  'own_below',
  /** Terms of the aspect, and of the others, that the protein has by experiment; of the aspect without one. */
  'known_terms',
  'known_elsewhere',
  'own_terms',
  /** Votes of proteins with a similar profile of terms: of what is known by experiment, of everything. */
  'profile_known',
  'profile_own',
  /** P(term | known term) over the most specific known terms, and over the electronic ones. */
  'given_known_max',
  'given_known_mean',
  'given_own_max',
  'given_own_mean',
  /** How frequent the term is: by experiment, by any evidence, in the query's organism by experiment. */
  'frequency_experimental',
  'frequency_any',
  'frequency_organism',
  /** How often experiments confirm the term where it was stated without one: among all references, in the query's organism. */
  'proof_rate',
  'proof_organism',
  'information',
  'depth',
  'children',
  /** 1 where an InterPro signature of the query implies the term; NaN where signatures were not looked for. */
  'signature_terms',
] as const;
export type CombinedFeature = (typeof combinedFeatures)[number];

/** Place of each column. */
export const featureAt = Object.fromEntries(combinedFeatures.map((name, i) => [name, i])) as Record<
  CombinedFeature,
  number
>;
