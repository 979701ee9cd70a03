import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { variantOf } from '@kindred/testkit';

/** The sequences of the example set. */
export function exampleSequences() {
  return gunzipSync(readFileSync(new URL('../examples/reference.fasta.gz', import.meta.url)))
    .toString()
    .split('>')
    .slice(1)
    .map((record) => record.slice(record.indexOf('\n')).replaceAll('\n', ''));
}

/**
 * One of the sequences with a tenth of its residues replaced.
 * @param {readonly string[]} sequences
 * @param {(below: number) => number} random a whole number from 0 to below `below`
 */
export const anyVariant = (sequences, random) => variantOf(sequences[random(sequences.length)], random);
