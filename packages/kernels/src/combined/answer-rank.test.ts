import { describe, expect, it } from 'vitest';
import { aspects } from '../vocabulary/index.js';
import { answerRanking, measuredRate, termBits, type TermFacts } from './index.js';

const fact = (term: number, probability: number | null, more: Partial<TermFacts> = {}): TermFacts => ({
  term,
  aspect: 'F',
  score: 0.5,
  probability,
  bits: 6,
  speakers: 4000,
  ...more,
});
const ranked = (terms: readonly TermFacts[]) => answerRanking(terms).map((at) => terms[at].term);

describe('the ranking of an answer', () => {
  it('goes by the word of certainty before the bits, and of near equals the more specific comes first', () => {
    const terms = [fact(1, 0.81), fact(2, 0.79, { bits: 12 }), fact(3, 0.8, { bits: 7 }), fact(4, 0.95)];
    expect(ranked(terms)).toEqual([4, 3, 1, 2]);
  });

  it('has terms that one in eight proteins has last', () => {
    expect(ranked([fact(1, 0.79, { bits: 2 }), fact(2, 0.3)])).toEqual([2, 1]);
  });

  it('lets a common term that is at least likely lead where all rarer terms of its aspect are weak', () => {
    const common = { bits: 2 };
    expect(ranked([fact(1, 0.93, common), fact(2, 0.12)])).toEqual([1, 2]);
    expect(ranked([fact(1, 0.6, common), fact(2, 0.24)])).toEqual([1, 2]);
    expect(ranked([fact(1, 0.49, common), fact(2, 0.12)])).toEqual([2, 1]);
    expect(ranked([fact(1, 0.93, common), fact(2, 0.12), fact(3, 0.3)])).toEqual([3, 2, 1]);
    // A rarer term of another aspect changes nothing.
    expect(ranked([fact(1, 0.93, common), fact(2, 0.5, { aspect: 'C' }), fact(3, 0.2)])).toEqual([1, 2, 3]);
    // More than half of the proteins have the first.
    expect(ranked([fact(1, 0.93, { bits: 0.9 }), fact(2, 0.12)])).toEqual([2, 1]);
  });

  it('asks for fewer bits where the reference is small', () => {
    const speakers = 6;
    const rare = { speakers, bits: termBits(1, speakers) };
    const common = { speakers, bits: termBits(6, speakers) };
    expect(ranked([fact(1, 0.9, common), fact(2, 0.3, rare)])).toEqual([2, 1]);
  });

  it('places a score without a probability by how often such scores were right', () => {
    expect(ranked([fact(1, 0.4), fact(2, null, { score: 0.95 }), fact(3, null, { score: 0.21 })])).toEqual([
      2, 1, 3,
    ]);
  });
});

it('rates never fall with the score, and single precision does not change them', () => {
  for (const aspect of aspects)
    for (let tenth = 1; tenth <= 10; tenth++) {
      expect(measuredRate(aspect, tenth / 10)).toBeGreaterThanOrEqual(measuredRate(aspect, (tenth - 1) / 10));
      expect(measuredRate(aspect, Math.fround(tenth / 10))).toBe(measuredRate(aspect, tenth / 10));
    }
});
