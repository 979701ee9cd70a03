import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseFasta } from '@kindred/kernels/formats';
import { variantOf } from '@kindred/testkit';

/** Reads the sequences of the example set. */
export function exampleSequences() {
  const file = new URL('../examples/reference.fasta.gz', import.meta.url);
  return parseFasta(gunzipSync(readFileSync(file))).map(({ sequence }) => sequence);
}

/**
 * Returns one of the sequences with a tenth of its residues replaced.
 * @param {readonly string[]} sequences
 * @param {(below: number) => number} random a whole number from 0 to below `below`
 */
export const anyVariant = (sequences, random) => variantOf(sequences[random(sequences.length)], random);
