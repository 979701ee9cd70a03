import { quantileOfSorted, Random } from '../arrays/index.js';
import { fitIsotonic, type IsotonicCurve, lastAtOrBelow } from './isotonic.js';

/** Predictions whose outcome is known. Point i belongs to the protein protein[i]; all columns have the same length. */
export interface CalibrationPoints {
  /** The scores as float64, all finite; a larger one means more certain. */
  score: Float64Array;
  /** Outcomes as uint8: 1 where the prediction is right. */
  isRight: Uint8Array;
  /** Protein numbers as int32, 0 or more. Predictions of one protein are not independent, so minimum sizes count proteins. */
  protein: Int32Array;
}

/** A range of scores and how often its predictions are right. */
export interface CalibrationBin {
  /** The smallest and the largest score of the points in the bin. */
  low: number;
  high: number;
  predictions: number;
  /** The number of distinct proteins with a point in the bin. */
  proteins: number;
  /** The share of right points, 0 to 1; null (not calibrated) if there are too few proteins. */
  probability: number | null;
  /** The percentile bounds of the probability over resampled proteins; null where the probability is null. */
  interval: { low: number; high: number } | null;
}

export interface CalibrationCurve {
  /** The bins by ascending score; their probabilities ascend, too. */
  bins: CalibrationBin[];
  predictions: number;
  proteins: number;
}

/** The minimum number of proteins for a curve: with 100, the standard error of a share is at most 0.05. */
export const leastProteins = 100;

export interface CalibrationOptions {
  /** A bin with fewer proteins gets no probability. The default is `leastProteins`. */
  minProteins?: number;
  /** The number of resamples of the proteins; default 1,000. */
  resamples?: number;
  /** The seed of the resampling; default 1. */
  seed?: number;
  /** The confidence level of the interval; default 0.95. */
  level?: number;
  signal?: AbortSignal;
}

/**
 * Estimates the share of right predictions as a function of the score by an isotonic curve with confidence intervals. Blocks of the
 * isotonic fit that have fewer than `minProteins` proteins are merged with the neighbour whose value is closer (on a tie, the lower one).
 * So a bin has no probability only if the whole input has too few proteins. Intervals come from a bootstrap over proteins with the bins
 * held fixed.
 *
 * Cost: the isotonic fit, plus `resamples` x (distinct pairs of protein and bin).
 * @throws RangeError as `fitIsotonic`, for a level outside (0, 1) or fewer than 1 resample; the signal's reason on abort
 * @cite Zadrozny2002
 * @cite EfronTibshirani1993
 */
export function calibrationCurve(
  points: CalibrationPoints,
  options: CalibrationOptions = {},
): CalibrationCurve {
  const { minProteins = leastProteins, resamples = 1000, seed = 1, level = 0.95 } = options;
  if (points.protein.length !== points.score.length)
    throw new RangeError(`${points.score.length} scores, but ${points.protein.length} proteins`);
  if (!(level > 0 && level < 1)) throw new RangeError(`level ${level}: expected a number between 0 and 1`);
  if (!(Number.isInteger(resamples) && resamples >= 1))
    throw new RangeError(`${resamples} resamples: expected a whole number from 1`);
  const groups = pooled(blocksOf(points, fitIsotonic(points.score, points.isRight)), minProteins);
  const calibrated = groups.map((group) => group.members.size >= minProteins);
  const bounds = shareIntervals(groups, new Set(points.protein), {
    resamples,
    seed,
    level,
    signal: options.signal,
  });
  return {
    bins: groups.map(({ low, high, right, count, members }, b) => ({
      low,
      high,
      predictions: count,
      proteins: members.size,
      probability: calibrated[b] ? right / count : null,
      interval: calibrated[b] ? bounds[b] : null,
    })),
    predictions: points.score.length,
    proteins: new Set(points.protein).size,
  };
}

/**
 * Finds the bin for a score by the lowest scores of the bins, ascending. A score between two bins belongs to the lower one; a score
 * beyond the ends belongs to the first or last bin. Cost: O(log bins) for a score.
 */
export function binLookup(lows: readonly number[]): (score: number) => number {
  return (score) => Math.max(0, lastAtOrBelow(lows, score));
}

/** Points whose share of right ones is asked; those of one protein go together. */
export interface PointsByProtein {
  right: number;
  count: number;
  /** The number of points of each protein, and how many of them are right. */
  members: Map<number, { count: number; right: number }>;
}

interface Group extends PointsByProtein {
  low: number;
  high: number;
}

function blocksOf({ score, isRight, protein }: CalibrationPoints, curve: IsotonicCurve): Group[] {
  const groups = Array.from(curve.low, (low, b): Group => {
    return { low, high: curve.high[b], right: 0, count: 0, members: new Map() };
  });
  for (let i = 0; i < score.length; i++) {
    const group = groups[lastAtOrBelow(curve.low, score[i])];
    const own = group.members.get(protein[i]) ?? { count: 0, right: 0 };
    group.members.set(protein[i], { count: own.count + 1, right: own.right + isRight[i] });
    group.count++;
    group.right += isRight[i];
  }
  return groups;
}

/** Merges the smallest group below the minimum with a neighbour, until no group below the minimum has a neighbour. */
function pooled(blocks: Group[], minProteins: number): Group[] {
  const groups = [...blocks];
  while (groups.length > 1) {
    let smallest = 0;
    groups.forEach(({ members }, b) => {
      if (members.size < groups[smallest].members.size) smallest = b;
    });
    if (groups[smallest].members.size >= minProteins) break;
    const into = nearerNeighbour(groups, smallest);
    const first = Math.min(smallest, into);
    groups.splice(first, 2, joined(groups[first], groups[first + 1]));
  }
  return groups;
}

function nearerNeighbour(groups: readonly Group[], b: number): number {
  if (b === 0) return 1;
  if (b === groups.length - 1) return b - 1;
  const share = (group: Group): number => group.right / group.count;
  const below = share(groups[b]) - share(groups[b - 1]);
  const above = share(groups[b + 1]) - share(groups[b]);
  return above < below ? b + 1 : b - 1;
}

function joined(a: Group, b: Group): Group {
  const members = new Map(a.members);
  for (const [protein, { count, right }] of b.members) {
    const own = members.get(protein) ?? { count: 0, right: 0 };
    members.set(protein, { count: own.count + count, right: own.right + right });
  }
  return { low: a.low, high: b.high, right: a.right + b.right, count: a.count + b.count, members };
}

/**
 * Computes percentile bounds of each group's share of right points, by a bootstrap over the proteins. Resamples without a point in a group
 * are ignored for that group. Cost: `resamples` x (distinct pairs of protein and group).
 * @cite EfronTibshirani1993
 */
export function shareIntervals(
  groups: readonly PointsByProtein[],
  proteins: ReadonlySet<number>,
  { resamples = 1000, seed = 1, level = 0.95, signal }: Omit<CalibrationOptions, 'minProteins'> = {},
): { low: number; high: number }[] {
  // The proteins are numbered in ascending order, so that the order of the points does not matter.
  const numberOf = new Map([...proteins].sort((a, b) => a - b).map((protein, i) => [protein, i]));
  const columns = groups.map(({ members }) => ({
    protein: Int32Array.from(members.keys(), (protein) => numberOf.get(protein) as number),
    count: Float64Array.from(members.values(), ({ count }) => count),
    right: Float64Array.from(members.values(), ({ right }) => right),
  }));
  const random = new Random(seed);
  const times = new Int32Array(proteins.size);
  const shares: number[][] = groups.map(() => []);
  for (let i = 0; i < resamples; i++) {
    if (i % 32 === 0) signal?.throwIfAborted();
    times.fill(0);
    for (let k = 0; k < times.length; k++) times[random.integer(times.length)]++;
    columns.forEach(({ protein, count, right }, b) => {
      let all = 0;
      let found = 0;
      for (let m = 0; m < protein.length; m++) {
        all += times[protein[m]] * count[m];
        found += times[protein[m]] * right[m];
      }
      if (all > 0) shares[b].push(found / all);
    });
  }
  return shares.map((list, b) => {
    const sorted = Float64Array.from(list.length > 0 ? list : [groups[b].right / groups[b].count]).sort();
    return {
      low: quantileOfSorted(sorted, (1 - level) / 2),
      high: quantileOfSorted(sorted, (1 + level) / 2),
    };
  });
}
