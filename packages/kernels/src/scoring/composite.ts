import type { Metric } from '../knn/index.js';
import { evidenceWeight } from './evidence-weights.js';
import { scoreOfDistance } from './score.js';

/** The values of a (query, term) pair that signals use; null if a value is not computed or unknown. */
export interface SignalSource {
  distance: number | null;
  evidence_code: string | null;
  identity_nw: number | null;
  identity_sw: number | null;
  gaps_pct_nw: number | null;
  gaps_pct_sw: number | null;
  alignment_length_nw: number | null;
  alignment_length_sw: number | null;
  length_query: number | null;
  taxonomic_distance: number | null;
  neighbor_vote_fraction: number | null;
  ref_annotation_density: number | null;
  go_term_frequency: number | null;
}

/** The flags of predict_go_terms that enable the values of a signal. */
export type SignalFlag = 'compute_alignments' | 'compute_taxonomy' | 'compute_reranker_features';

interface Signal {
  /** The flag that the signal needs; null if every prediction has the signal. */
  flag: SignalFlag | null;
  meaning: string;
  /** Returns the signal, clipped to 0 to 1; null leaves the signal out for this pair. */
  value(source: SignalSource, recipe: ScoringRecipe, metric: Metric): number | null;
}

/**
 * Returns the share of the query's residues that are aligned with a residue of the source, from the local alignment, or else from the
 * global one.
 */
function coverage(source: SignalSource): number | null {
  const { length_query: residues } = source;
  const length = source.alignment_length_sw ?? source.alignment_length_nw;
  const gaps = source.alignment_length_sw === null ? source.gaps_pct_nw : source.gaps_pct_sw;
  if (length === null || gaps === null || residues === null || residues === 0) return null;
  return (length * (1 - gaps)) / residues;
}

const inverse = (value: number | null): number | null => (value === null ? null : 1 / (1 + value));

export const scoringSignals = {
  embedding_similarity: {
    flag: null,
    meaning: '1 - distance / 2 (cosine), 1 / (1 + distance) (squared l2)',
    value: ({ distance }, _, metric) => (distance === null ? null : scoreOfDistance(distance, metric)),
  },
  identity_nw: {
    flag: 'compute_alignments',
    meaning: 'Identical columns of the global alignment with the source',
    value: (source) => source.identity_nw,
  },
  identity_sw: {
    flag: 'compute_alignments',
    meaning: 'Identical columns of the local alignment with the source',
    value: (source) => source.identity_sw,
  },
  coverage: {
    flag: 'compute_alignments',
    meaning: 'alignment length x (1 - gaps) / length of the query, of the local alignment',
    value: coverage,
  },
  evidence_weight: {
    flag: null,
    meaning: 'Weight of the evidence code of the source; 0.5 where there is none',
    value: (source, recipe) => evidenceWeight(source.evidence_code, recipe.evidenceWeights),
  },
  taxonomic_proximity: {
    flag: 'compute_taxonomy',
    meaning: '1 / (1 + taxonomic_distance)',
    value: (source) => inverse(source.taxonomic_distance),
  },
  neighbor_vote_fraction: {
    flag: 'compute_reranker_features',
    meaning: 'Share of the neighbours that carry the term',
    value: (source) => source.neighbor_vote_fraction,
  },
  ref_annotation_density: {
    flag: 'compute_reranker_features',
    meaning: '1 / (1 + terms of the source): little for a source that carries many',
    value: (source) => inverse(source.ref_annotation_density),
  },
} as const satisfies Record<string, Signal>;
export type SignalName = keyof typeof scoringSignals;
export const signalNames = Object.keys(scoringSignals) as SignalName[];

/** The minimum positive weight. Weights near the limits of a double would lose their proportions. */
export const minWeight = 1e-9;

export interface ScoringRecipe {
  /** The formula: `evidence_weighted` multiplies the weighted mean by the evidence weight. */
  formula: 'linear' | 'evidence_weighted';
  /** The weights of the signals: 0, or `minWeight` or more. Missing signals have weight 0. */
  weights: Readonly<Partial<Record<SignalName, number>>>;
  /** The weights by GO evidence code, 0 to 1; missing codes have the default weight. */
  evidenceWeights?: Readonly<Record<string, number>>;
  /** The prior, which multiplies the score by (1 / (1 + ln(1 + frequency of the term))) ^ gamma. Without this field there is no prior. */
  frequencyPrior?: { gamma: number };
}

/**
 * Computes the composite score of a (query, term) pair, 0 to 1 in steps of 1e-6: the mean of the signals, each clipped to 0..1, weighted
 * by the recipe. A missing signal is left out of numerator and denominator; a pair without any signal scores 0. The result is multiplied
 * by the evidence weight and the prior if the recipe has them; a pair with unknown frequency has no prior.
 */
export function compositeScore(source: SignalSource, recipe: ScoringRecipe, metric: Metric): number {
  let sum = 0;
  let weights = 0;
  for (const name of signalNames) {
    const weight = recipe.weights[name] ?? 0;
    if (weight <= 0) continue;
    const value = scoringSignals[name].value(source, recipe, metric);
    if (value === null) continue;
    sum += weight * Math.min(1, Math.max(0, value));
    weights += weight;
  }
  if (weights === 0) return 0;
  let score = sum / weights;
  if (recipe.formula === 'evidence_weighted')
    score *= evidenceWeight(source.evidence_code, recipe.evidenceWeights);
  if (recipe.frequencyPrior !== undefined && source.go_term_frequency !== null)
    score *= (1 / (1 + Math.log1p(source.go_term_frequency))) ** recipe.frequencyPrior.gamma;
  return Math.round(Math.min(1, Math.max(0, score)) * 1e6) / 1e6;
}

/** Returns the flags that a prediction needs so that the recipe has all its signals. */
export function flagsOfRecipe(recipe: ScoringRecipe): SignalFlag[] {
  const flags = signalNames
    .filter((name) => (recipe.weights[name] ?? 0) > 0)
    .map((name) => scoringSignals[name].flag as SignalFlag | null);
  if (recipe.frequencyPrior !== undefined) flags.push('compute_reranker_features');
  return [...new Set(flags)].filter((flag) => flag !== null);
}
