import type { Metric } from '../knn/index.js';

/**
 * Turns a distance into a score of 0 to 1, which falls with the distance. For cosine (0 to 2) the score is 1 - d/2. For squared l2 (0 or
 * more) it is 1 / (1 + d), which is in (0, 1] and strictly decreasing; for unit vectors, where d = 2 x cosine distance, it runs from 1 to
 * 1/5.
 */
export function scoreOfDistance(distance: number, metric: Metric): number {
  return metric === 'cosine' ? Math.min(1, Math.max(0, 1 - distance / 2)) : 1 / (1 + Math.max(0, distance));
}
