import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { NetworkLayout } from '@kindred/kernels/network';
import { repositoryRoot } from './shared-data.js';

/** PyTorch answers this sequence so, with the same int8 weights; training/network/parity.py made the cases. */
export interface NetworkCase {
  sequence: string;
  vector: number[];
  probabilities: Record<string, number>;
}

/** Reads a file of models/network. */
export const networkFile = (name: string): Buffer =>
  readFileSync(join(repositoryRoot(), 'models/network', name));

/** Reads the shipped network with the terms of its probabilities, and the answers that are expected of it. */
export function shippedNetwork() {
  const cases = readFileSync(join(repositoryRoot(), 'packages/kernels/src/network/golden/parity.json.gz'));
  return {
    layout: JSON.parse(networkFile('layout.json').toString()) as NetworkLayout,
    bytes: networkFile('weights.bin'),
    terms: networkFile('vocabulary.tsv')
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0]),
    cases: JSON.parse(gunzipSync(cases).toString()) as NetworkCase[],
  };
}

/** Returns the largest difference between two values of the same place. */
export const largestDifference = (left: ArrayLike<number>, right: ArrayLike<number>): number =>
  Array.from(left).reduce((most, value, i) => Math.max(most, Math.abs(value - right[i])), 0);
