import { alphabetSize, blosum62 } from '@kindred/kernels/alignment';
import { symmetricEigen } from './symmetric-eigen.js';

/** The 20 amino acids, then the three codes that stand for one of two, then X (unknown). */
export const letters = 'ARNDCQEGHILKMFPSTWYVBZJX';
export const standardLetters = 20;
/** The column of X, whose vector is zero. */
export const unknownLetter = letters.length - 1;
/** The number of substitution components: one less than the number of amino acids. */
export const componentCount = standardLetters - 1;

/** The amino-acid composition of UniProtKB/Swiss-Prot in percent, in the order of `letters`. @cite UniProt2023 */
const swissProtPercent = [
  8.25, 5.53, 4.06, 5.46, 1.38, 3.93, 6.72, 7.07, 2.27, 5.91, 9.65, 5.8, 2.41, 3.86, 4.74, 6.64, 5.36, 1.1,
  2.92, 6.86,
];
const ambiguous: readonly (readonly [code: string, first: string, second: string])[] = [
  ['B', 'D', 'N'],
  ['Z', 'E', 'Q'],
  ['J', 'I', 'L'],
];
/** The most similar standard residues: selenocysteine counts as cysteine, and pyrrolysine as lysine. */
const aliases: readonly (readonly [code: string, standard: string])[] = [
  ['U', 'C'],
  ['O', 'K'],
];

export interface SubstitutionComponents {
  /** The share of each component that a substitution keeps, descending, between 0 and 1: Float64 [19]. */
  strength: Float64Array;
  /**
   * The value of letter a in component c is values[c * letters.length + a]. Under the background composition every component has mean 0
   * and variance 1, and different components are uncorrelated. B, Z and J are the background mean of their two residues; X is 0.
   */
  values: Float64Array;
}

/**
 * Computes the principal components of amino-acid substitution: the eigenvectors of the odds q(a,b) / p(a) p(b) from BLOSUM62
 * (2^(score/2)), adjusted to the Swiss-Prot composition. The sum over components of strength x value(a) x value(b) is odds - 1: how much
 * more likely than by chance the pair is among homologues. The cost is a fixed number of 20 x 20 rotations, less than a millisecond.
 *
 * @cite Henikoff1992
 */
export function substitutionComponents(): SubstitutionComponents {
  const n = standardLetters;
  const background = backgroundComposition();
  const odds = balancedOdds(background);
  const matrix = Array.from({ length: n }, (_, a) =>
    Float64Array.from({ length: n }, (_, b) => Math.sqrt(background[a] * background[b]) * odds[a][b]),
  );
  const { values: eigenvalues, vectors } = symmetricEigen(matrix);
  // The first eigenvector, of eigenvalue 1, is the composition itself and carries no information.
  const values = new Float64Array(componentCount * letters.length);
  for (let c = 0; c < componentCount; c++) {
    const at = c * letters.length;
    for (let a = 0; a < n; a++) values[at + a] = vectors[c + 1][a] / Math.sqrt(background[a]);
    for (const [code, first, second] of ambiguous) {
      const f = letters.indexOf(first);
      const s = letters.indexOf(second);
      values[at + letters.indexOf(code)] =
        (background[f] * values[at + f] + background[s] * values[at + s]) / (background[f] + background[s]);
    }
  }
  return { strength: eigenvalues.slice(1), values };
}

/** Returns the column of each character code below 128; -1 if it is not a residue letter. */
export function letterTable(): Int8Array {
  const table = new Int8Array(128).fill(-1);
  for (let a = 0; a < letters.length; a++) table[letters.charCodeAt(a)] = a;
  for (const [code, standard] of aliases) table[code.charCodeAt(0)] = letters.indexOf(standard);
  return table;
}

export function backgroundComposition(): Float64Array {
  const total = swissProtPercent.reduce((sum, percent) => sum + percent, 0);
  return Float64Array.from(swissProtPercent, (percent) => percent / total);
}

/** Returns the odds with both margins equal to the background. Scores are rounded, so the raw odds differ from it by a few percent. */
function balancedOdds(background: Float64Array): number[][] {
  const n = standardLetters;
  const code = (a: number): number => letters.charCodeAt(a) - 65;
  const raw = Array.from({ length: n }, (_, a) =>
    Array.from({ length: n }, (_, b) => halfBits(blosum62[code(a) * alphabetSize + code(b)])),
  );
  const scale = new Float64Array(n).fill(1);
  for (let round = 0; round < 200; round++) {
    for (let a = 0; a < n; a++) {
      let row = 0;
      for (let b = 0; b < n; b++) row += background[b] * scale[b] * raw[a][b];
      scale[a] = Math.sqrt(scale[a] / row);
    }
  }
  return raw.map((row, a) => row.map((value, b) => value * scale[a] * scale[b]));
}

/** Returns 2^(score/2) from exact powers and one constant, which is the same on every machine. */
function halfBits(score: number): number {
  const whole = 2 ** Math.floor(score / 2);
  return score % 2 === 0 ? whole : whole * Math.SQRT2;
}
