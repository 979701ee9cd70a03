/** Most terms of a protein in a CAFA submission. */
export const cafaTermsPerProtein = 1500;

/**
 * A score as a CAFA submission states it: in (0, 1], three significant digits, never 0 (0.001 is the least). What is
 * evaluated is what the submission says, so that anybody can repeat an evaluation from the downloaded file.
 */
export function cafaScore(score: number): number {
  const bounded = Math.min(1, Math.max(0.001, score));
  return Number(bounded.toPrecision(3));
}
