/** Why a sequence can have no prediction that means anything. */
export const emptyReasons = [
  'too_short',
  'unknown_residues',
  'low_complexity',
  'looks_like_dna',
  'no_similar_protein',
] as const;
export type EmptyReason = (typeof emptyReasons)[number];

/** Fewer residues than this are no protein: two turns of a helix say nothing of a function. */
export const minResidues = 11;
/**
 * Bits of the distribution of residues below which a sequence says nothing: 2 bits are four residues in equal shares. Chosen on the
 * 19,724 real proteins of yeast, worm, Dictyostelium, E. coli and rice of the training windows, by `tools/train-combined/nonsense.mjs`,
 * before any query was made up.
 */
export const minEntropy = 2;
/** Share of the letters of DNA and RNA, and length, from which on a sequence is taken for one. */
export const dnaShare = 0.9;
export const minDnaLength = 20;
/** log10 of the E-value above which an alignment is no relative: BLAST's usual 0.001. */
export const relativeLogEValue = -3;

const standard = 'ACDEFGHIKLMNPQRSTVWY';
const nucleotides = new Set('ACGTUN');

/**
 * Whether a sequence can be answered at all, by itself: at least 11 of the twenty residues, no repetition of a few of them, and not
 * written in the letters of DNA.
 *
 * @param sequence upper-case residue letters
 * @returns the first reason against it, or null
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
 * Whether anything in a reference set is like a query: without a relative, all that a prediction could say is how frequent terms are.
 *
 * @param bestLogEValue log10 of the smallest E-value of an alignment; Infinity without any
 */
export function checkRelatives(bestLogEValue: number): EmptyReason | null {
  return bestLogEValue <= relativeLogEValue ? null : 'no_similar_protein';
}

function isOneResidue(counts: ReadonlyMap<string, number>): boolean {
  return counts.size === 1;
}

/** Shannon entropy of residue counts, in bits: 0 for one residue, 4.32 for twenty in equal shares. */
function entropyOf(counts: ReadonlyMap<string, number>, total: number): number {
  let bits = 0;
  for (const count of counts.values()) bits -= (count / total) * Math.log2(count / total);
  return bits;
}
