import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Random } from '../arrays/index.js';
import { parseFasta } from '../formats/index.js';
import { encodeResidues, mayBeSameProtein, plainAligner, sameProtein } from './index.js';

const proteins = parseFasta(
  gunzipSync(readFileSync(new URL('../../../../examples/reference.fasta.gz', import.meta.url))),
)
  .map(({ sequence }) => sequence)
  .filter(({ length }) => length > 150 && length < 400)
  .slice(0, 40);
const letters = 'ACDEFGHIKLMNPQRSTVWY';

/** Changes this share of the residues of a sequence. */
function changed(sequence: string, share: number, random: Random): string {
  return [...sequence]
    .map((letter) => {
      if (random.integer(1000) >= 1000 * share) return letter;
      return letters[(letters.indexOf(letter) + 1 + random.integer(19)) % 20];
    })
    .join('');
}

function verdict(first: string, second: string) {
  const { identical, gaps, length } = plainAligner.align(
    {
      sequences: [encodeResidues(first), encodeResidues(second)],
      query: Int32Array.of(0),
      target: Int32Array.of(1),
    },
    { mode: 'local' },
  );
  return sameProtein(
    { identical: identical[0], gaps: gaps[0], length: length[0] },
    Math.min(first.length, second.length),
  );
}

describe('two sequences of one accession', () => {
  const random = new Random(1);
  it.each([
    ['an older version', (one: string) => changed(one, 0.04, random)],
    ['a fragment', (one: string) => one.slice(40, 120)],
    ['one with a longer start', (one: string) => `MSTNPKPQRKTKRNTNRRPQDVKFPGGGQI${one}`],
    ['an isoform without an exon', (one: string) => one.slice(0, 60) + one.slice(100)],
  ])('are one protein if one is %s', (_, make) => {
    for (const one of proteins) {
      const other = make(one);
      expect(mayBeSameProtein(one, other)).toBe(true);
      const found = verdict(one, other);
      expect(found?.identity).toBeGreaterThanOrEqual(0.9);
      expect(found?.coverage).toBeGreaterThanOrEqual(0.8);
    }
  });

  it('are two proteins if they only share the name, and need no alignment for that', () => {
    for (const [i, one] of proteins.entries())
      for (const other of proteins.slice(i + 1, i + 4))
        expect(mayBeSameProtein(one, other)).toBe(verdict(one, other) !== null);
  });

  it.each([
    ['a relative', (one: string) => changed(one, 0.3, random)],
    ['a domain of it', (one: string) => one.slice(0, 90) + changed(one.slice(90), 1, random)],
  ])('are two proteins if one is %s', (_, make) => {
    for (const one of proteins) expect(verdict(one, make(one))).toBeNull();
  });

  it('are never ruled out by their words if the alignment says that they are one', () => {
    for (const one of proteins)
      for (const share of [0.05, 0.08, 0.1, 0.12]) {
        const other = changed(one, share, random).slice(10);
        if (verdict(one, other) !== null) expect(mayBeSameProtein(one, other)).toBe(true);
      }
  });

  it.each([3, 10])('are not one protein by a piece of %d residues, which many have', (length) => {
    for (const one of proteins) expect(verdict(one, one.slice(20, 20 + length))).toBeNull();
  });

  it('has no verdict without an alignment', () => {
    expect(sameProtein({ identical: 0, gaps: 0, length: 0 }, 10)).toBeNull();
  });
});
