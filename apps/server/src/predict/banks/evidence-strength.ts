import { evidenceWeight } from '@kindred/kernels/scoring';

/**
 * Gives the weight of an evidence code: the code of the largest weight represents a (protein, term) pair that
 * has several.
 */
export function evidenceStrength(code: string): number {
  return evidenceWeight(code);
}
