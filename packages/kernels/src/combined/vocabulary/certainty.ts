/** Words for the certainty of a predicted term, by its calibrated probability alone; the most certain first. */
export const certainties = ['strong', 'likely', 'possible', 'weak'] as const;
export type Certainty = (typeof certainties)[number];

/** The lowest probability of each word. */
export const certaintyFrom: Readonly<Record<Certainty, number>> = {
  strong: 0.8,
  likely: 0.5,
  possible: 0.25,
  weak: 0,
};

/** Returns the word for a probability; null means not calibrated. */
export function certaintyOf(probability: number | null): Certainty | null {
  if (probability === null) return null;
  return certainties.find((word) => probability >= certaintyFrom[word]) ?? 'weak';
}

/**
 * Rounds a probability to whole percent, as lists show it beside its word. A rounding up never reaches the bound of the next word: 0.248
 * is weak, so it is 0.24.
 */
export function roundedProbability(probability: number): number {
  const nearest = Math.round(100 * probability) / 100;
  return certaintyOf(nearest) === certaintyOf(probability) ? nearest : Math.floor(100 * probability) / 100;
}

/**
 * The words for how sure a term of an answer is: known of the protein itself, one of the words of a prediction, or without a measured
 * probability.
 */
export const standingsOfTerms = ['known', ...certainties, 'not calibrated'] as const;
export type StandingOfTerm = (typeof standingsOfTerms)[number];

/** Says what right means in the words of certainty. Each term says which of both it is, as `probability_meaning`. */
export const rightMeans =
  'right: shown by an experiment within some years; where the reference has annotations without recorded evidence, held by the databases for the protein, by any evidence';

const percent = (word: Certainty) => `${100 * certaintyFrom[word]} %`;

/** The one definition of each word, which the glossary and the pages repeat. */
export const standingMeanings: Readonly<Record<StandingOfTerm, string>> = {
  known: 'annotations of the protein itself name the term',
  strong: `predicted, right in at least ${percent('strong')} of such cases`,
  likely: `predicted, right in ${percent('likely')} to ${percent('strong')} of such cases`,
  possible: `predicted, right in ${percent('possible')} to ${percent('likely')} of such cases`,
  weak: `predicted, right in fewer than ${percent('possible')} of such cases`,
  'not calibrated': 'predicted with a score; how often such scores are right was not measured well enough',
};

/**
 * An answer ends at this probability, or at this score where a prediction is not calibrated. Both values were chosen to keep answers
 * short.
 */
export const answerEnd = { probability: 0.1, score: 0.2 } as const;

/** Says whether a term is part of the answer that is shown first. */
export function isInAnswer({ probability, score }: { probability: number | null; score: number }): boolean {
  return probability === null ? score >= answerEnd.score : probability >= answerEnd.probability;
}
