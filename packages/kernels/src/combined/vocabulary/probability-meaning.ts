/**
 * A probability is the rate at which experiments show such a term within some years, or at which the databases hold it for the protein, by
 * any evidence. Where nobody experiments, the first is low for what is true as well.
 */
export const probabilityMeanings = ['shown by experiment', 'held by the databases'] as const;
export type ProbabilityMeaning = (typeof probabilityMeanings)[number];

/** The shipped curves of what databases hold were measured on these data. */
export const databaseWindows: readonly string[] = [
  'Swiss-Prot 2014 (own terms hidden)',
  'seven organisms 2014 to 2019 (any evidence)',
];

/** Says what the probability of a stored term is the rate of, by the data that it was measured on; null without a probability. */
export function probabilityMeaningOf(calibratedOn: string | null): ProbabilityMeaning | null {
  if (calibratedOn === null) return null;
  return calibratedOn === databaseWindows.join(', ') ? 'held by the databases' : 'shown by experiment';
}
