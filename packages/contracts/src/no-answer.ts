import type { EmptyReason } from '@kindred/kernels/vocabulary';

/** The sentences for a query without an answer, by the reason. */
export const noAnswerSentences: Readonly<Record<EmptyReason, string>> = {
  too_short: 'The sequence has fewer than 11 residues, too few to predict a function.',
  unknown_residues:
    'The sequence has fewer than 11 known residues; the others are X or not among the twenty.',
  low_complexity: 'The sequence repeats a few residues, which is also true of many unrelated proteins.',
  looks_like_dna: 'The sequence consists of the letters of DNA or RNA; translate it and try again.',
  no_similar_protein: 'No protein of the reference is similar to the sequence (E-value at most 0.001).',
};
