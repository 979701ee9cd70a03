import { checkSequence } from '../query-check/index.js';
import type { EmptyReason } from '../vocabulary/index.js';

/** A reason of the product for no prediction, or a sequence that has fewer residues than the network takes. */
export type NetworkRefusal = EmptyReason | 'short_for_network';

/**
 * Checks whether the network is asked about a sequence: it would give terms to any letters.
 *
 * @param shortest the number of residues of the layout's `shortest`
 * @returns the first reason against an answer, or null
 */
export function networkRefusal(sequence: string, shortest: number): NetworkRefusal | null {
  return checkSequence(sequence) ?? (sequence.length < shortest ? 'short_for_network' : null);
}
