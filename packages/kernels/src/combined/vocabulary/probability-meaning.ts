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

/** The curves of terms from the sequence alone were measured on these data. Such terms are told from others by it. */
export const sequenceAloneData =
  'Swiss-Prot 2014 (families that are like no protein of the reference; sequence alone)';

/** Says whether a stored term comes from the sequence alone, by the data that its probability was measured on. */
export function isFromSequenceAlone(calibratedOn: string | null): boolean {
  return calibratedOn === sequenceAloneData;
}

/** Says what the probability of a stored term is the rate of, by the data that it was measured on; null without a probability. */
export function probabilityMeaningOf(calibratedOn: string | null): ProbabilityMeaning | null {
  if (calibratedOn === null) return null;
  return calibratedOn === databaseWindows.join(', ') || isFromSequenceAlone(calibratedOn)
    ? 'held by the databases'
    : 'shown by experiment';
}
