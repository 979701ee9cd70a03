import { referenceText } from '@kindred/contracts/reference-words';
import type { PredictionSetDetail } from '../app/api/predictions.js';

/** Names the reference that a run was made with, by the hash of its content, so that a figure or a report can state its origin. */
export function madeWith({ reference }: Pick<PredictionSetDetail, 'reference'>): string | null {
  return reference === null ? null : referenceText(reference);
}
