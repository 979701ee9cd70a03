export interface ScoreScale {
  formula: string;
  words: string;
}

/** How a score without a recipe comes from the distance of the nearest donor. */
export function scoreScale(metric: string): ScoreScale {
  const words = '0 to 1, higher is nearer; not a probability';
  return metric === 'l2'
    ? { formula: '1 / (1 + squared distance)', words }
    : { formula: '1 − distance / 2', words: `${words}. Vectors at right angles score 0.5` };
}

export function distanceWords(metric: string): string {
  return metric === 'l2'
    ? 'squared Euclidean distance of the vectors, 0 is identical'
    : 'cosine distance of the vectors, 0 (same direction) to 2';
}
