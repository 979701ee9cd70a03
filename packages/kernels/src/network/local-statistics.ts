/**
 * Features of residues near each other, by which a protein differs from noise whatever its family: pairs up to 16 apart, triplets, spaced
 * words of eight groups of residues, and the first and last residues. `training/network/local-statistics.mjs` learns their weights.
 */

const letters = 'ACDEFGHIKLMNPQRSTVWY';
const groups = ['AGST', 'C', 'DE', 'FWY', 'HKR', 'ILMV', 'NQ', 'P'];
const farthest = 16;
/** The places of the residues of each spaced word. */
const words = [
  [0, 1, 2, 3],
  [0, 1, 3, 4],
  [0, 3, 4, 7],
  [0, 2, 4, 6],
  [0, 1, 2, 4],
  [0, 2, 3, 5],
  [0, 1, 4, 5],
  [0, 3, 7, 11],
  [0, 1, 2, 3, 4],
];
const ends = { first: 60, last: 20 };

// A letter that is not a residue counts as the first one, because it is rare.
const codeOf = new Uint8Array(128);
const groupOf = new Uint8Array(128);
for (const [code, letter] of [...letters].entries()) codeOf[letter.charCodeAt(0)] = code;
for (const [code, group] of groups.entries())
  for (const letter of group) groupOf[letter.charCodeAt(0)] = code;

const sizes = [
  400 * farthest,
  8000,
  ...words.map((word) => 8 ** word.length),
  20 * ends.first,
  20 * ends.last,
];
const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
const [pairsAt, tripletsAt] = starts;
const [firstAt, lastAt] = starts.slice(-2);

/** The number of features. */
export const localFeatureCount = sizes.reduce((sum, size) => sum + size, 0);

/** Lists the features of a sequence, each as often as it occurs: numbers below `localFeatureCount`. */
export function localFeatures(sequence: string): Int32Array {
  const { length } = sequence;
  const coded = (table: Uint8Array): Uint8Array =>
    Uint8Array.from({ length }, (_, i) => table[sequence.charCodeAt(i) & 127]);
  const code = coded(codeOf);
  const group = coded(groupOf);
  const found = new Int32Array(length * (farthest + 1 + words.length) + ends.first + ends.last);
  let count = 0;
  for (let i = 0; i < length; i++) {
    for (let apart = 1; apart <= farthest && i + apart < length; apart++)
      found[count++] = pairsAt + (apart - 1) * 400 + code[i] * 20 + code[i + apart];
    if (i + 2 < length) found[count++] = tripletsAt + (code[i] * 20 + code[i + 1]) * 20 + code[i + 2];
    for (const [number, word] of words.entries()) {
      if (i + word[word.length - 1] >= length) continue;
      let value = 0;
      for (const place of word) value = 8 * value + group[i + place];
      found[count++] = starts[2 + number] + value;
    }
  }
  for (let i = 0; i < Math.min(ends.first, length); i++) found[count++] = firstAt + 20 * i + code[i];
  for (let i = 0; i < Math.min(ends.last, length); i++)
    found[count++] = lastAt + 20 * i + code[length - 1 - i];
  return found.subarray(0, count);
}

/** Computes log odds from features: the sum of their weights over the root of their number, and the bias. */
export function localLogOdds(
  features: Int32Array,
  { weights, bias }: { weights: ArrayLike<number>; bias: number },
): number {
  let sum = 0;
  for (const feature of features) sum += weights[feature];
  return bias + sum / Math.sqrt(features.length);
}

/** Returns what the last layer reads of local log odds: by residue, by sequence, and the logarithm of the length. */
export const localColumns = (logOdds: number, length: number): number[] => [
  logOdds,
  (logOdds * Math.sqrt(length)) / 10,
  Math.log(length),
];
