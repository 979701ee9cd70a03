// Learns from residues near each other whether a sequence is a protein, whatever its family, by logistic regression over the features of
// the product's kernel.
import { localColumns, localFeatureCount, localFeatures, localLogOdds } from '@kindred/kernels/network';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pick } from '../combined/nonsense-sequences.mjs';

const rates = [0.05, 0.02];
const usualSquare = 0.01;

/**
 * @param proteins the sequences to learn from
 * @param kinds functions that make noise of a protein; each protein is used with one of them, another in each round
 * @returns the weights and the bias of the features
 */
export function learnLocalStatistics(proteins, kinds, random) {
  const weights = new Float64Array(localFeatureCount);
  const squares = new Float64Array(localFeatureCount).fill(usualSquare);
  let bias = 0;
  const learn = (sequence, isProtein, rate) => {
    const found = localFeatures(sequence);
    const error = 1 / (1 + Math.exp(-localLogOdds(found, { weights, bias }))) - isProtein;
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
  return { weights: Float32Array.from(weights), bias };
}

/** Returns weights and bias from the file if they were learnt before; `learn` learns them. */
export function keptLocal(path, learn) {
  if (!existsSync(path)) {
    const { weights, bias } = learn();
    writeFileSync(path, Float32Array.from([...weights, bias]));
  }
  const bytes = readFileSync(path);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return { weights: all.subarray(0, localFeatureCount), bias: all[localFeatureCount] };
}

/** Returns what the last layer reads of a sequence. */
export const localOf = (local, sequence) =>
  localColumns(localLogOdds(localFeatures(sequence), local), sequence.length);
