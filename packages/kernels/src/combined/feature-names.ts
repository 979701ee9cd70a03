/**
 * The features of the combination, in the order of its columns. A missing value is NaN, never 0: for example in `own_*` of a protein
 * without annotations, or in the identity of a term without a source. Values are rounded to float32, so that a model trained on files of
 * float32 sees the same numbers.
 */
export const combinedFeatures = [
  /** Votes by alignment are (sum of w over sources with the term + c f) / (sum of w of sources with a term of the aspect + c). */
  'align_votes_experimental',
  'align_votes_any',
  /** The share of the weight from sources that have the term with that evidence, shrunk toward 0. */
  'align_votes_phylogenetic',
  'align_votes_similarity',
  'align_votes_signature',
  'align_votes_vocabulary',
  'align_votes_rule',
  /** The number of sources with the term. */
  'align_donors_experimental',
  'align_donors_any',
  /** The highest identity of a source with the term, 0 to 1. */
  'align_identity_experimental',
  'align_identity_any',
  /** The highest alignment score of a source with the term, as a share of the query's score with itself. */
  'align_share_experimental',
  'align_share_any',
  /** The sum of w over the sources with an experimental term of the aspect. */
  'align_weight',
  /** Votes that are weighted by the distance of vectors. */
  'distance_votes_experimental',
  'distance_votes_any',
  'distance_nearest',
  /** The value is 1 where the protein has the term without an experiment. */
  'own_electronic',
  /** The number of evidence groups by which the protein has the term. */
  'own_groups',
  'own_phylogenetic',
  'own_similarity',
  'own_signature',
  'own_vocabulary',
  'own_rule',
  /** The share of the term's direct parents that the protein has: by experiment, and with any evidence. */
  'parents_known',
  'parents_own',
  /** The information of the term minus that of the most informative known term above it, in bits. */
  'gap_known',
  'gap_own',
  /**
   * The information of the protein's most informative term at or below this one minus that of this term, in bits; NaN if the protein does
   * not have the term.
   */
  'own_below',
  /**
   * The number of the protein's experimental terms of the aspect, and of the other aspects; then the number of its terms of the aspect
   * without experiment.
   */
  'known_terms',
  'known_elsewhere',
  'own_terms',
  /** Votes of proteins with a similar profile of terms, by experimental terms only, and by all terms. */
  'profile_known',
  'profile_own',
  /** P(term | known term) over the most specific known terms, and over the electronic ones. */
  'given_known_max',
  'given_known_mean',
  'given_own_max',
  'given_own_mean',
  /** The frequency of the term by experiment, with any evidence, and by experiment in the query's organism. */
  'frequency_experimental',
  'frequency_any',
  'frequency_organism',
  /**
   * The rate at which experiments confirm annotations with the term that have other evidence, among all references and in the query's
   * organism.
   */
  'proof_rate',
  'proof_organism',
  'information',
  'depth',
  'children',
] as const;
export type CombinedFeature = (typeof combinedFeatures)[number];

/** The index of each column. */
export const featureAt = Object.fromEntries(combinedFeatures.map((name, i) => [name, i])) as Record<
  CombinedFeature,
  number
>;
