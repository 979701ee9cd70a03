/** Words for the certainty of a prediction, by its calibrated probability alone. */
export const certainties = ['strong', 'likely', 'possible'] as const;
export type Certainty = (typeof certainties)[number];

/** Lowest probability of each word; below the last no word applies. */
export const certaintyFrom: Readonly<Record<Certainty, number>> = { strong: 0.8, likely: 0.5, possible: 0.1 };

/** The word for a probability; null below all words and for no probability. */
export function certaintyOf(probability: number | null): Certainty | null {
  if (probability === null) return null;
  return certainties.find((word) => probability >= certaintyFrom[word]) ?? null;
}

/**
 * An answer ends at this probability, or at this score where a prediction is not calibrated. The score is a choice that keeps answers
 * short, not a measured probability.
 */
export const answerEnd = { probability: certaintyFrom.possible, score: 0.2 } as const;

/** True for a term of the answer that is shown first. */
export function isInAnswer({ probability, score }: { probability: number | null; score: number }): boolean {
  return probability === null ? score >= answerEnd.score : probability >= answerEnd.probability;
}
