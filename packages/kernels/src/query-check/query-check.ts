import { encodeResidues, minResidues } from '../alignment/index.js';
import { lowComplexity } from '../homology/index.js';
import type { EmptyReason } from '../vocabulary/index.js';

export { minResidues };

/**
 * The minimum entropy of the residue distribution, in bits: 2 bits are four residues in equal shares. The value was chosen on the 19,724
 * real proteins of yeast, worm, Dictyostelium, E. coli and rice of the training windows, by `training/combined/nonsense.mjs`, before any
 * artificial query was created.
 */
export const minEntropy = 2;
/** The share of the letters of DNA and RNA, and the length, from which on a sequence counts as a nucleotide sequence. */
export const dnaShare = 0.9;
export const minDnaLength = 20;
/** The decimal logarithm of the maximum E-value of a relative: 0.001, a common choice with BLAST. */
export const relativeLogEValue = -3;

const standard = 'ACDEFGHIKLMNPQRSTVWY';
const nucleotides = new Set('ACGTUN');

/**
 * Checks whether a sequence can have a prediction, from the sequence alone: at least 11 of the twenty residues, not a
 * repetition of a few residues, and not DNA or RNA.
 *
 * @param sequence upper-case residue letters
 * @returns the first reason against a prediction, or null
 * @cite Wootton1993
 */
export function checkSequence(sequence: string): EmptyReason | null {
  if (sequence.length < minResidues) return 'too_short';
  const counts = new Map<string, number>();
  let nucleic = 0;
  for (const letter of sequence) {
    if (nucleotides.has(letter)) nucleic++;
    if (standard.includes(letter)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const known = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (known < minResidues) return 'unknown_residues';
  if (
    sequence.length >= minDnaLength &&
    nucleic >= dnaShare * sequence.length &&
    counts.size <= 6 &&
    !isOneResidue(counts)
  )
    return 'looks_like_dna';
  return entropyOf(counts, known) < minEntropy ? 'low_complexity' : null;
}

/**
 * Writes X for low-complexity regions. Unrelated proteins are similar in them, so only an alignment of the rest indicates a relative.
 *
 * @param sequence residue letters
 */
export function withoutLowComplexity(sequence: string): string {
  const masked = lowComplexity(encodeResidues(sequence));
  return Array.from(sequence, (letter, i) => (masked[i] === 1 ? 'X' : letter)).join('');
}

/**
 * Checks whether a reference has a relative of the query. Without one, a prediction would only repeat how frequent terms
 * are.
 *
 * @param bestLogEValue decimal logarithm of the smallest E-value of an alignment of `withoutLowComplexity(query)`; Infinity without an
 * alignment
 */
export function checkRelatives(bestLogEValue: number): EmptyReason | null {
  return bestLogEValue <= relativeLogEValue ? null : 'no_similar_protein';
}

/** An alignment above the line of relatives is distant up to this power of 10: by chance, a tenth of all searches find such an E-value. */
const distantLogEValue = -1;

/** Says whether a sequence whose alignment makes no relative is near enough to be named. */
export function isDistantAt(logEValue: number): boolean {
  return logEValue > relativeLogEValue && logEValue <= distantLogEValue;
}

function isOneResidue(counts: ReadonlyMap<string, number>): boolean {
  return counts.size === 1;
}

/** Returns the Shannon entropy of residue counts, in bits: 0 for one residue, 4.32 for twenty in equal shares. */
function entropyOf(counts: ReadonlyMap<string, number>, total: number): number {
  let bits = 0;
  for (const count of counts.values()) bits -= (count / total) * Math.log2(count / total);
  return bits;
}
