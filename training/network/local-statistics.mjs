// Learns from residues near each other whether a sequence is a protein, whatever its family, by logistic regression: pairs up to 16
// apart, triplets, spaced words of eight groups of residues, and the first and last residues.
import { pick } from '../combined/nonsense-sequences.mjs';

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
const rates = [0.05, 0.02];
const usualSquare = 0.01;

const codeOf = new Uint8Array(128);
const groupOf = new Uint8Array(128);
[...letters].forEach((letter, code) => (codeOf[letter.charCodeAt(0)] = code));
groups.forEach((group, code) => [...group].forEach((letter) => (groupOf[letter.charCodeAt(0)] = code)));

const sizes = [
  400 * farthest,
  8000,
  ...words.map((word) => 8 ** word.length),
  20 * ends.first,
  20 * ends.last,
];
const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
const features = sizes.reduce((sum, size) => sum + size, 0);
const [pairsAt, tripletsAt] = starts;
const [firstAt, lastAt] = starts.slice(-2);

/** Lists the features of a sequence, each as often as it occurs. */
function featuresOf(sequence) {
  const { length } = sequence;
  const code = Uint8Array.from(sequence, (letter) => codeOf[letter.charCodeAt(0) & 127]);
  const group = Uint8Array.from(sequence, (letter) => groupOf[letter.charCodeAt(0) & 127]);
  const found = new Int32Array(length * (farthest + 1 + words.length) + ends.first + ends.last);
  let count = 0;
  for (let i = 0; i < length; i++) {
    for (let apart = 1; apart <= farthest && i + apart < length; apart++)
      found[count++] = pairsAt + (apart - 1) * 400 + code[i] * 20 + code[i + apart];
    if (i + 2 < length) found[count++] = tripletsAt + (code[i] * 20 + code[i + 1]) * 20 + code[i + 2];
    for (const [number, word] of words.entries()) {
      if (i + word.at(-1) >= length) continue;
      const value = word.reduce((sum, place) => 8 * sum + group[i + place], 0);
      found[count++] = starts[2 + number] + value;
    }
  }
  for (let i = 0; i < Math.min(ends.first, length); i++) found[count++] = firstAt + 20 * i + code[i];
  for (let i = 0; i < Math.min(ends.last, length); i++)
    found[count++] = lastAt + 20 * i + code[length - 1 - i];
  return found.subarray(0, count);
}

/**
 * @param proteins the sequences to learn from
 * @param kinds functions that make noise of a protein; each protein is used with one of them, another in each round
 * @returns a function that gives three numbers of a sequence: its score by residue, by sequence, and the logarithm of its length
 */
export function learnLocalStatistics(proteins, kinds, random) {
  const weights = new Float64Array(features);
  const squares = new Float64Array(features).fill(usualSquare);
  let bias = 0;
  const scoreOf = (found) =>
    bias + found.reduce((sum, feature) => sum + weights[feature], 0) / Math.sqrt(found.length);
  const learn = (sequence, isProtein, rate) => {
    const found = featuresOf(sequence);
    const error = 1 / (1 + Math.exp(-scoreOf(found))) - isProtein;
    const slope = error / Math.sqrt(found.length);
    bias -= 0.01 * error;
    for (const feature of found) {
      squares[feature] += slope * slope;
      weights[feature] -= (rate * slope) / Math.sqrt(squares[feature]);
    }
  };
  for (const rate of rates)
    for (const protein of proteins) {
      learn(protein, 1, rate);
      learn(pick(kinds, random)(protein), 0, rate);
    }
  return (sequence) => {
    const score = scoreOf(featuresOf(sequence));
    return [score, (score * Math.sqrt(sequence.length)) / 10, Math.log(sequence.length)];
  };
}
