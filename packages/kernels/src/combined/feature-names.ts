/**
 * The columns of the combination, in order. A missing value is NaN, never 0: for example `own_*` of a protein without
 * annotations, or the identity of a term without a donor. Values are rounded to float32, so that a model trained on files of
 * float32 sees the same numbers.
 */
export const combinedFeatures = [
  /** Votes by alignment: (sum of w over donors with the term + c f) / (sum of w of donors with a term of the aspect + c). */
  'align_votes_experimental',
  'align_votes_any',
  /** Share of the weight from donors that have the term with that evidence, shrunk toward 0. */
  'align_votes_phylogenetic',
  'align_votes_similarity',
  'align_votes_signature',
  'align_votes_vocabulary',
  'align_votes_rule',
  /** Number of donors with the term. */
  'align_donors_experimental',
  'align_donors_any',
  /** Highest identity of a donor with the term, 0 to 1. */
  'align_identity_experimental',
  'align_identity_any',
  /** Highest alignment score of a donor with the term, as a share of the query's score with itself. */
  'align_share_experimental',
  'align_share_any',
  /** Sum of w of the donors with an experimental term of the aspect. */
  'align_weight',
  /** Votes weighted by the distance of vectors. */
  'distance_votes_experimental',
  'distance_votes_any',
  /** Distance of the nearest donor with the term. */
  'distance_nearest',
  /** 1 where the protein has the term without an experiment. */
  'own_electronic',
  /** Number of evidence groups that support this. */
  'own_groups',
  'own_phylogenetic',
  'own_similarity',
  'own_signature',
  'own_vocabulary',
  'own_rule',
  /** Share of the term's direct parents that the protein has: by experiment, with any evidence. */
  'parents_known',
  'parents_own',
  /** Information of the term minus that of the most informative known term above it, in bits. */
  'gap_known',
  'gap_own',
  /**
   * Information of the protein's most informative term at or below this one minus that of this term, in bits; NaN if the
   * protein does not have the term.
   */
  'own_below',
  /**
   * Number of the protein's experimental terms of the aspect, and of the other aspects; number of its terms of the aspect
   * without experiment.
   */
  'known_terms',
  'known_elsewhere',
  'own_terms',
  /** Votes of proteins with a similar profile of terms: experimental terms only, all terms. */
  'profile_known',
  'profile_own',
  /** P(term | known term): over the most specific known terms, and over the electronic ones. */
  'given_known_max',
  'given_known_mean',
  'given_own_max',
  'given_own_mean',
  /** Frequency of the term: by experiment, with any evidence, by experiment in the query's organism. */
  'frequency_experimental',
  'frequency_any',
  'frequency_organism',
  /**
   * How often experiments confirm annotations with the term that have other evidence: among all references, in the query's
   * organism.
   */
  'proof_rate',
  'proof_organism',
  'information',
  'depth',
  'children',
] as const;
export type CombinedFeature = (typeof combinedFeatures)[number];

/** Index of each column. */
export const featureAt = Object.fromEntries(combinedFeatures.map((name, i) => [name, i])) as Record<
  CombinedFeature,
  number
>;
