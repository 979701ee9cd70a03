import type { PredictionSetDetail } from '../app/api/predictions.js';

/** The reference that a run was made with, by the hash of its content: what a figure or a report says of its origin. */
export function madeWith({ reference }: Pick<PredictionSetDetail, 'reference'>): string | null {
  if (reference === null) return null;
  const { name, version, content_sha256: hash } = reference;
  return `${name}@${version}${hash === null ? '' : `, SHA-256 ${hash}`}`;
}
