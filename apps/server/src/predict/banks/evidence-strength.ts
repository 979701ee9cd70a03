import { evidenceWeight } from '@kindred/kernels/scoring';

/** Which evidence represents a (protein, term) pair that has several: the code of the largest weight. */
export function evidenceStrength(code: string): number {
  return evidenceWeight(code);
}
