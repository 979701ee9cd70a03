/** Figures on two sequences that belong to one protein: an older version, a fragment or an isoform. */
export interface SameProtein {
  /** The share of the aligned residues that are identical, 0 to 1. */
  identity: number;
  /** The aligned share of the shorter sequence, 0 to 1. */
  coverage: number;
}

/** Two sequences under one accession count as one protein from this identity on, over `minSameCoverage` of the shorter one. */
export const minSameIdentity = 0.9;
export const minSameCoverage = 0.8;

/**
 * The minimum number of residues. Shorter sequences (about three turns of a helix) occur in many proteins by chance and carry no
 * information.
 */
export const minResidues = 11;

/**
 * Judges by the best local alignment whether two sequences belong to one protein; null means that they do not. Gaps, such as the exons
 * that isoforms lack, do not count against it.
 */
export function sameProtein(
  local: { identical: number; gaps: number; length: number },
  shorter: number,
): SameProtein | null {
  const aligned = local.length - local.gaps;
  if (aligned <= 0 || shorter < minResidues) return null;
  const found = { identity: local.identical / aligned, coverage: aligned / shorter };
  return found.identity >= minSameIdentity && found.coverage >= minSameCoverage ? found : null;
}

const wordLength = 5;
/**
 * Ten differences in a hundred residues leave at least half of the words of five residues intact, and a fragment of four fifths of the
 * shorter sequence keeps two fifths of them. Unrelated sequences share about one word in a thousand.
 */
const minSharedWords = 0.15;
/** Sequences of fewer words are always aligned, because the share of so few words is a matter of chance. */
const fewWords = 20;

/**
 * Returns false only where `sameProtein` cannot hold. The words that two sequences share decide, so most namesakes need no alignment.
 * Cost: O(length).
 */
export function mayBeSameProtein(first: string, second: string): boolean {
  const [shorter, longer] = first.length <= second.length ? [first, second] : [second, first];
  const words = wordsOf(shorter);
  if (words.size < fewWords) return true;
  let shared = 0;
  for (const word of wordsOf(longer)) if (words.has(word)) shared++;
  return shared >= minSharedWords * words.size;
}

function wordsOf(sequence: string): Set<string> {
  const words = new Set<string>();
  for (let at = 0; at + wordLength <= sequence.length; at++) words.add(sequence.slice(at, at + wordLength));
  return words;
}
