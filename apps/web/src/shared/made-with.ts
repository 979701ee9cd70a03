import { referenceText } from '@kindred/contracts/reference-words';
import type { PredictionSetDetail } from '../app/api/predictions.js';

/** Names the references that a run was made with, by the hash of their content, so that a figure or a report can state its origin. */
export function madeWith({
  reference,
  more_references: more,
}: Pick<PredictionSetDetail, 'reference' | 'more_references'>): string | null {
  const all = [reference, ...more].filter((one) => one !== null);
  return all.length === 0 ? null : all.map(referenceText).join('; ');
}
