/**
 * A nondecreasing step curve. Block b covers the scores low[b] .. high[b], both ends seen in the data; blocks ascend and
 * don't overlap. All arrays float64 [blocks].
 */
export interface IsotonicCurve {
  low: Float64Array;
  high: Float64Array;
  /** The fitted value of each block: the weighted mean of its targets. The values ascend strictly. */
  value: Float64Array;
  /** The sum of the weights of each block. */
  weight: Float64Array;
}

/**
 * Fits a nondecreasing function of the score by least squares, by pooling adjacent violators. Equal scores get one value; the order of
 * the points does not matter; points of weight 0 are ignored. Cost: O(n log n) for sorting, then O(n).
 *
 * @param scores float64 [n], finite
 * @param targets [n], for instance 1 where a prediction is right and 0 where it is wrong
 * @param weights [n], not negative; default 1 each
 * @throws RangeError for columns of different length, a score that is not finite, or no point with a weight above 0
 * @cite Ayer1955
 */
export function fitIsotonic(
  scores: Float64Array,
  targets: ArrayLike<number>,
  weights?: ArrayLike<number>,
): IsotonicCurve {
  const n = scores.length;
  if (targets.length !== n || (weights !== undefined && weights.length !== n))
    throw new RangeError(`${n} scores, but ${targets.length} targets and ${weights?.length ?? n} weights`);
  if (!scores.every((score) => Number.isFinite(score)))
    throw new RangeError('a score is not a finite number');
  const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => scores[a] - scores[b]);
  const low: number[] = [];
  const high: number[] = [];
  const sum: number[] = [];
  const weight: number[] = [];
  for (const i of order) {
    const own = weights === undefined ? 1 : weights[i];
    if (!(own > 0)) continue;
    const last = low.length - 1;
    if (last >= 0 && high[last] === scores[i]) {
      sum[last] += own * targets[i];
      weight[last] += own;
      continue;
    }
    // The previous block is complete only here, since all points of its score are read.
    pool({ low, high, sum, weight });
    low.push(scores[i]);
    high.push(scores[i]);
    sum.push(own * targets[i]);
    weight.push(own);
  }
  pool({ low, high, sum, weight });
  if (low.length === 0) throw new RangeError('no point has a weight above 0');
  return {
    low: Float64Array.from(low),
    high: Float64Array.from(high),
    value: Float64Array.from(sum, (total, b) => total / weight[b]),
    weight: Float64Array.from(weight),
  };
}

/** Merges the last block with the blocks before it while their order is violated. */
function pool({ low, high, sum, weight }: Record<'low' | 'high' | 'sum' | 'weight', number[]>): void {
  for (let b = low.length - 1; b > 0 && sum[b - 1] * weight[b] >= sum[b] * weight[b - 1]; b--) {
    high[b - 1] = high[b];
    sum[b - 1] += sum[b];
    weight[b - 1] += weight[b];
    for (const column of [low, high, sum, weight]) column.pop();
  }
}

/**
 * Returns the value of the curve at a score: that of the block that covers it, a linear interpolation between two blocks, or beyond the
 * ends the value of the first or last block. Cost: O(log blocks).
 */
export function isotonicAt({ low, high, value }: IsotonicCurve, score: number): number {
  const b = lastAtOrBelow(low, score);
  if (b < 0) return value[0];
  if (score <= high[b] || b === low.length - 1) return value[b];
  const share = (score - high[b]) / (low[b + 1] - high[b]);
  return value[b] + share * (value[b + 1] - value[b]);
}

/** Returns the index of the last entry that is at most `limit`, or -1. */
export function lastAtOrBelow(ascending: ArrayLike<number>, limit: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ascending[middle] <= limit) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
