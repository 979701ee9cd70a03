import {
  type AlignmentPairs,
  type AlignmentScoring,
  alphabetSize,
  paddingCode,
} from '@kindred/kernels/alignment';

/** The pairs that one call of a vector kernel aligns: lane l holds pair lanes[l], or -1 for none. */
export interface LaneBatch {
  lanes: Int32Array;
  /** The number of queries in the batch: lanes g * lanes / groups ... share one query. */
  groups: 1 | 2 | 4;
}

export interface AlignmentPlan {
  batches: LaneBatch[];
  /** The pairs whose scores may exceed 16 bits. */
  wide: number[];
}

/** The magnitude below which sums fit 16 bits, with room for one more step. */
const int16Room = 31_000;

/**
 * Groups pairs into batches: pairs of one query together, targets of similar length together, and the remaining pairs of
 * several queries of similar length in one batch if the kernel supports more than one query.
 *
 * @param lanes number of lanes of the kernel (8, 16, 32)
 * @param maxGroups maximum number of queries in a batch: 1, 2 or 4
 */
export function planBatches(
  pairs: AlignmentPairs,
  scoring: AlignmentScoring,
  lanes: number,
  maxGroups: 1 | 2 | 4,
): AlignmentPlan {
  const { sequences, query, target } = pairs;
  const narrow = narrowSequences(sequences, scoring);
  const wide: number[] = [];
  const order: number[] = [];
  for (let p = 0; p < query.length; p++)
    (fits16(narrow, scoring, query[p], target[p]) ? order : wide).push(p);
  const length = (s: number): number => sequences[s].length;
  order.sort(
    (a, b) =>
      length(query[a]) - length(query[b]) ||
      query[a] - query[b] ||
      length(target[b]) - length(target[a]) ||
      a - b,
  );
  const units: Record<1 | 2 | 4, number[][]> = { 1: [], 2: [], 4: [] };
  for (let first = 0; first < order.length; ) {
    let last = first;
    while (last < order.length && query[order[last]] === query[order[first]]) last++;
    for (let left = last - first; left > 0; left = last - first) {
      const share = shareFor(left, lanes, maxGroups);
      const taken = Math.min(left, lanes / share);
      units[share].push(order.slice(first, first + taken));
      first += taken;
    }
  }
  const batches = ([1, 2, 4] as const).flatMap((groups) => joinUnits(units[groups], groups, lanes));
  return { batches, wide };
}

/** Returns the part of a vector (1, 1/2, 1/4) that the next pairs of a query take. */
function shareFor(left: number, lanes: number, maxGroups: number): 1 | 2 | 4 {
  if (maxGroups >= 4 && left <= lanes / 4) return 4;
  if (maxGroups >= 2 && left <= (maxGroups >= 4 ? 0.75 : 0.5) * lanes) return 2;
  return 1;
}

function joinUnits(units: number[][], groups: 1 | 2 | 4, lanes: number): LaneBatch[] {
  const batches: LaneBatch[] = [];
  for (let first = 0; first < units.length; first += groups) {
    const batch = new Int32Array(lanes).fill(-1);
    for (let g = 0; g < groups; g++) batch.set(units[first + g] ?? [], (g * lanes) / groups);
    batches.push({ lanes: batch, groups });
  }
  return batches;
}

interface Narrow {
  /** The upper bound of the score of an alignment with each sequence. */
  maxScore: Float64Array;
  /** The value is 1 if the sequence is short enough for its gap costs to fit 16 bits. */
  short: Uint8Array;
}

function narrowSequences(sequences: readonly Uint8Array[], scoring: AlignmentScoring): Narrow {
  const { matrix, gapOpen, gapExtend } = scoring;
  const rowMax = new Int32Array(alphabetSize);
  for (let a = 0; a < alphabetSize; a++) {
    for (let b = 0; b < alphabetSize; b++) {
      rowMax[a] = Math.max(rowMax[a], matrix[a * alphabetSize + b], matrix[b * alphabetSize + a]);
    }
  }
  const maxScore = new Float64Array(sequences.length);
  const short = new Uint8Array(sequences.length);
  for (const [index, sequence] of sequences.entries()) {
    for (const code of sequence) maxScore[index] += rowMax[code];
    short[index] = 2 * sequence.length * gapExtend + 3 * gapOpen + 256 < int16Room ? 1 : 0;
  }
  return { maxScore, short };
}

function fits16(narrow: Narrow, scoring: AlignmentScoring, a: number, b: number): boolean {
  const bounded = Math.min(narrow.maxScore[a], narrow.maxScore[b]) + scoring.gapOpen + 256 < 32_767;
  return narrow.short[a] === 1 && narrow.short[b] === 1 && bounded && scoring.gapExtend <= 256;
}

/** Returns the matrix as the vector kernels need it: padding never scores above zero, so that no best cell is in the padding. */
export function paddedMatrix(scoring: AlignmentScoring): Int8Array {
  const matrix = Int8Array.from(scoring.matrix);
  for (let a = 0; a < alphabetSize; a++) {
    matrix[a * alphabetSize + paddingCode] = -4;
    matrix[paddingCode * alphabetSize + a] = -4;
  }
  return matrix;
}
