/** The maximum number of terms for a protein in a CAFA submission. */
export const cafaTermsPerProtein = 1500;

/**
 * Rounds a score for a CAFA submission to three significant digits in (0, 1]; it is never 0 (minimum 0.001). Evaluations use these
 * rounded scores, so that anyone can repeat an evaluation from the downloaded file.
 */
export function cafaScore(score: number): number {
  const bounded = Math.min(1, Math.max(0.001, score));
  return Number(bounded.toPrecision(3));
}
