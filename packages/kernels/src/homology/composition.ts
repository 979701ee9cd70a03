import { alphabetSize, encodeResidues } from '../alignment/index.js';
import { blastScoring, blastStatistics, logEValue, type SearchSpace } from './e-value.js';

/** The window reaches this number of residues to either side. */
const reach = 20;

/** The frequencies of residues in proteins, in percent, that BLAST's statistics use. @cite Robinson1991 */
const background: Readonly<Record<string, number>> = {
  A: 7.805,
  R: 5.129,
  N: 4.487,
  D: 5.364,
  C: 1.925,
  Q: 4.264,
  E: 6.295,
  G: 7.377,
  H: 2.199,
  I: 5.142,
  L: 9.019,
  K: 5.744,
  M: 2.243,
  F: 3.856,
  P: 5.203,
  S: 7.12,
  T: 5.841,
  W: 1.33,
  Y: 3.216,
  V: 6.441,
};
const { matrix, gapOpen, gapExtend } = blastScoring;
const frequencies = Object.entries(background).map(([letter, percent]) => ({
  code: encodeResidues(letter)[0],
  share: percent / 100,
}));
/** The mean score of a residue with the residues of proteins: [codes]. */
const expected = Float64Array.from({ length: alphabetSize }, (_, code) =>
  frequencies.reduce((sum, other) => sum + other.share * matrix[code * alphabetSize + other.code], 0),
);

/**
 * Computes how much less each residue of a sequence should score, because the residues around it are like it: the mean score with the 20
 * residues on either side, above that with the residues of proteins. A run of few letters loses all that it could score; a stretch of a
 * membrane, whose letters differ, a part. Residues score at most what they did.
 *
 * @param codes residue codes (encodeResidues)
 * @returns numbers of at most 0: Float64 [codes]
 * @cite Hauser2016
 */
export function compositionCorrection(codes: Uint8Array): Float64Array {
  const around = new Int32Array(alphabetSize);
  const corrections = new Float64Array(codes.length);
  for (let i = 0; i < Math.min(reach, codes.length); i++) around[codes[i]]++;
  for (let i = 0; i < codes.length; i++) {
    if (i + reach < codes.length) around[codes[i + reach]]++;
    if (i > reach) around[codes[i - reach - 1]]--;
    const others = Math.min(codes.length - 1, i + reach) - Math.max(0, i - reach);
    if (others === 0) continue;
    const row = codes[i] * alphabetSize;
    let sum = -matrix[row + codes[i]];
    for (let code = 0; code < alphabetSize; code++) sum += around[code] * matrix[row + code];
    corrections[i] = Math.min(0, expected[codes[i]] - sum / others);
  }
  return corrections;
}

/**
 * Computes the E-value of the best local alignment of two sequences in which each residue of the query scores less by its
 * `compositionCorrection`. Unlike masked regions, those of few letters still count for what is particular in them.
 *
 * The cost is the product of the lengths, in plain code: for the few pairs that nothing else decides.
 * @returns the decimal logarithm of the E-value
 */
export function correctedLogEValue(
  query: Uint8Array,
  target: Uint8Array,
  { correction, space }: { correction: Float64Array; space: SearchSpace },
): number {
  const above = new Float64Array(target.length);
  const inTargetGap = new Float64Array(target.length).fill(-gapOpen);
  let best = 0;
  for (let i = 0; i < query.length; i++) {
    const row = query[i] * alphabetSize;
    let diagonal = 0;
    let left = 0;
    let inQueryGap = -gapOpen;
    for (let j = 0; j < target.length; j++) {
      inTargetGap[j] = Math.max(above[j] - gapOpen, inTargetGap[j] - gapExtend);
      inQueryGap = Math.max(left - gapOpen, inQueryGap - gapExtend);
      const pair = diagonal + matrix[row + target[j]] + correction[i];
      diagonal = above[j];
      above[j] = left = Math.max(0, pair, inTargetGap[j], inQueryGap);
      if (left > best) best = left;
    }
  }
  return logEValue(best, query.length, space, blastStatistics);
}
