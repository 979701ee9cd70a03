import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignPlain, encodeResidues } from '../alignment/index.js';
import { bandAlignment } from './band-alignment.js';
import { blastScoring } from './index.js';

const letters = fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWYX');
const short = fc.array(letters, { minLength: 1, maxLength: 60 }).map((list) => encodeResidues(list.join('')));
const counts = ({ score, identical, gaps, length }: ReturnType<typeof bandAlignment>) => [
  score,
  identical,
  gaps,
  length,
];

describe('the alignment in a band', () => {
  it('is the whole local alignment where the band holds all cells', () => {
    fc.assert(
      fc.property(short, fc.nat(20), fc.nat(12), (query, from, gap) => {
        // The target is a relative that lacks a stretch, so that there are gaps to choose.
        const target = Uint8Array.from([...query.subarray(0, from), ...query.subarray(from + gap), 8, 3, 0]);
        const found = bandAlignment({ query, target, diagonal: 0 }, blastScoring);
        expect(counts(found)).toEqual(counts(alignPlain(query, target, 'local', blastScoring)));
      }),
    );
  });

  it('leaves out what lies further from its diagonal than 64', () => {
    const query = encodeResidues('MKTWYIAKQRQISFVKSHFW');
    const target = Uint8Array.from([...new Uint8Array(100).fill(6), ...query]);
    const scoreAt = (diagonal: number): number =>
      bandAlignment({ query, target, diagonal }, blastScoring).score;
    const whole = alignPlain(query, query, 'local', blastScoring).score;
    expect([scoreAt(100), scoreAt(36), scoreAt(164)]).toEqual([whole, whole, whole]);
    expect(Math.max(scoreAt(35), scoreAt(165), scoreAt(-500))).toBeLessThan(whole / 2);
  });

  it('counts to 65,535', () => {
    const query = encodeResidues('W'.repeat(6000));
    const found = bandAlignment({ query, target: query, diagonal: 0 }, blastScoring);
    expect(counts(found)).toEqual([65_535, 5958, 0, 5958]);
  });
});
