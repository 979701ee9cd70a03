import type { SequenceNetwork } from './network.js';

/** The residues of a sequence that speak most for a term. */
export interface SpeakingStretch {
  /** The first and the last residue, from 1. */
  start: number;
  end: number;
  /** The network's probability of the term for the whole sequence, and for the sequence without the stretch: 0 to 1. */
  probability: number;
  without: number;
}

/** A stretch has at least this many residues, because the network reads a residue with its neighbours. */
const shortestStretch = 32;
/** The maximum number of stretches, which bounds the cost. */
const mostStretches = 32;

/**
 * Finds the stretch of a sequence without which a term becomes least probable: the sequence is cut into stretches of nearly equal length,
 * and each in turn is replaced by unknown residues (X). Of equal ones, the first is taken. The cost is one answer of the network, and one
 * for each stretch.
 *
 * @param output the number of the term among the network's
 * @returns null for a sequence that is too short for two stretches, and if no stretch makes the term less probable
 */
export function speakingStretch(
  network: Pick<SequenceNetwork, 'answer'>,
  sequence: string,
  output: number,
): SpeakingStretch | null {
  const count = Math.min(mostStretches, Math.floor(sequence.length / shortestStretch));
  const probability = network.answer(sequence)?.probabilities[output];
  if (count < 2 || probability === undefined) return null;
  let found: SpeakingStretch | null = null;
  for (let i = 0; i < count; i++) {
    const from = Math.floor((i * sequence.length) / count);
    const to = Math.floor(((i + 1) * sequence.length) / count);
    const hidden = sequence.slice(0, from) + 'X'.repeat(to - from) + sequence.slice(to);
    const without = network.answer(hidden)?.probabilities[output] ?? probability;
    if (without < (found?.without ?? probability)) found = { start: from + 1, end: to, probability, without };
  }
  return found;
}
