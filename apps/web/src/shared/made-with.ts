import { referenceText } from '@kindred/contracts/reference-words';
import type { PredictionSetDetail } from '../app/api/predictions.js';

/** The reference that a run was made with, by the hash of its content: what a figure or a report says of its origin. */
export function madeWith({ reference }: Pick<PredictionSetDetail, 'reference'>): string | null {
  return reference === null ? null : referenceText(reference);
}
