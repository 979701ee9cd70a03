import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Random } from '../arrays/index.js';
import { parseFasta } from '../formats/index.js';
import { checkRelatives, checkSequence, withoutLowComplexity } from './index.js';

const examples = parseFasta(
  gunzipSync(readFileSync(new URL('../../../../examples/reference.fasta.gz', import.meta.url))),
).map(({ sequence }) => sequence);

describe('sequences that cannot be answered', () => {
  it.each([
    ['M', 'too_short'],
    ['MKTAYIAKQR', 'too_short'],
    ['X'.repeat(60), 'unknown_residues'],
    [`${'X'.repeat(50)}MKTAYIAKQR`, 'unknown_residues'],
    ['A'.repeat(40), 'low_complexity'],
    ['AG'.repeat(40), 'looks_like_dna'],
    ['QH'.repeat(40), 'low_complexity'],
    ['ATGGCGTACGTTAGCATCGATCGATCGGCTAGCTAGCATCGATCA', 'looks_like_dna'],
    ['ATGGCGUACGUUAGCAUCGAUCGAUCGGCUAGCUAGCAUCGAUCA', 'looks_like_dna'],
  ])('%s is %s', (sequence, reason) => {
    expect(checkSequence(sequence)).toBe(reason);
  });

  it('are never real proteins of the examples', () => {
    expect(examples.filter((sequence) => checkSequence(sequence) !== null)).toEqual([]);
  });

  it('are all sequences of one or two residues, and all of random nucleotides', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWY'),
        fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWY'),
        fc.integer({ min: 11, max: 300 }),
        fc.integer(),
        (a, b, length, seed) => {
          const random = new Random(seed);
          const of = (letters: string) =>
            Array.from({ length }, () => letters[random.integer(letters.length)]).join('');
          expect(checkSequence(of(a + b))).not.toBeNull();
          if (length >= 20) expect(checkSequence(of('ACGT'))).not.toBeNull();
        },
      ),
    );
  });

  it('are compared without their stretches of few letters', () => {
    const ordinary = examples[0].slice(0, 60);
    expect(withoutLowComplexity(ordinary)).toBe(ordinary);
    const masked = withoutLowComplexity(`${ordinary}${'Q'.repeat(40)}${ordinary}`);
    expect(masked.slice(0, 50) + masked.slice(-50)).toBe(ordinary.slice(0, 50) + ordinary.slice(-50));
    expect(masked.slice(62, 98)).toBe('X'.repeat(36));
  });

  it('are those without a relative at an E-value of 0.001', () => {
    expect(checkRelatives(-3)).toBeNull();
    expect(checkRelatives(-2.9)).toBe('no_similar_protein');
    expect(checkRelatives(Number.POSITIVE_INFINITY)).toBe('no_similar_protein');
  });
});
