/** Figures on two sequences that are one protein: an older version, a fragment or an isoform. */
export interface SameProtein {
  /** Share of the aligned residues that are identical, 0 to 1. */
  identity: number;
  /** Aligned share of the shorter sequence, 0 to 1. */
  coverage: number;
}

/** Two sequences under one accession are one protein from this identity over this share of the shorter one. */
export const minSameIdentity = 0.9;
export const minSameCoverage = 0.8;

/** Minimum number of residues: shorter sequences, about three turns of a helix, are in many proteins by chance and carry no information. */
export const minResidues = 11;

/**
 * Judges by the best local alignment whether two sequences are one protein; null: they are two. Gaps (exons of isoforms) do not count
 * against it.
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
 * Ten differences in a hundred residues leave at least half of the words of five, and four fifths of the shorter sequence two fifths of
 * them; unrelated sequences share about one in a thousand.
 */
const minSharedWords = 0.15;
/** Sequences of fewer words are always aligned: how many of so few are shared is chance. */
const fewWords = 20;

/** False only where `sameProtein` cannot hold, by the words that the sequences share: most namesakes need no alignment. Cost: O(length). */
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
