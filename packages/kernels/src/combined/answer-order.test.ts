import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Aspect } from '../vocabulary/index.js';
import {
  answerOrder,
  answerRanking,
  certainties,
  certaintyOf,
  measuredRate,
  type RankedTerm,
} from './index.js';

const row = (go_term_id: number, probability: number | null, more: Partial<RankedTerm> = {}): RankedTerm => ({
  go_term_id,
  go_id: `GO:${go_term_id}`,
  score: 0.5,
  probability,
  answer_rank: go_term_id,
  contradiction: null,
  ...more,
});

/** Term 1 is the root; 2 and 3 are below it, 4 is below 2, and 5 below 4. */
const parents = new Map([
  [2, [1]],
  [3, [1]],
  [4, [2]],
  [5, [4]],
]);
const facts = {
  parents,
  aspectOf: ({ go_term_id }: RankedTerm): Aspect => (go_term_id < 100 ? 'P' : 'F'),
  isGeneral: ({ go_term_id }: RankedTerm) => go_term_id === 3,
};
const ids = (rows: readonly RankedTerm[]) => rows.map(({ go_term_id }) => go_term_id);
const folded = (rows: readonly (RankedTerm & { folded_under: string | null })[]) =>
  rows.filter(({ folded_under }) => folded_under !== null).map(({ go_term_id }) => go_term_id);

describe('the order of an answer', () => {
  it('folds what another term of the same word implies, and has it after the others of the word', () => {
    const order = answerOrder([row(2, 0.95), row(4, 0.9), row(5, 0.85), row(6, 0.6)], facts);
    expect(ids(order)).toEqual([5, 2, 4, 6]);
    expect(order.map(({ folded_under }) => folded_under)).toEqual([null, 'GO:5', 'GO:5', null]);
  });

  it('never folds a term under a less certain one', () => {
    const order = answerOrder([row(4, 0.65), row(5, 0.11)], facts);
    expect(ids(order)).toEqual([4, 5]);
    expect(folded(order)).toEqual([]);
  });

  it('folds over terms that are not in the answer', () => {
    expect(folded(answerOrder([row(2, 0.9), row(5, 0.85)], facts))).toEqual([2]);
  });

  it('has general terms after the others of their aspect, and known ones after all', () => {
    const order = answerOrder([row(3, 0.99), row(4, 0.9, { is_known: true }), row(5, 0.3)], facts);
    expect(ids(order)).toEqual([5, 3, 4]);
  });

  it('keeps an aspect together, and the one with the best first term leads', () => {
    const rows = [row(101, 0.9, { answer_rank: 1 }), row(4, 0.8, { answer_rank: 2 }), row(102, 0.1)];
    expect(ids(answerOrder(rows, facts))).toEqual([101, 102, 4]);
  });

  it('counts a score without a probability at its measured rate', () => {
    const score = 0.95;
    expect(certaintyOf(measuredRate('P', score))).toBe('strong');
    const order = answerOrder([row(2, null, { score }), row(5, 0.85), row(6, 0.6)], facts);
    expect(ids(order)).toEqual([5, 2, 6]);
    expect(folded(order)).toEqual([2]);
  });

  it('has what is not in the answer at the end, where it folds nothing', () => {
    const rows = [row(2, 0.9), row(4, 0.05), row(5, 0.9, { contradiction: 'never in plants' })];
    const order = answerOrder(rows, facts);
    expect(ids(order)).toEqual([2, 4, 5]);
    expect(folded(order)).toEqual([]);
  });

  it('keeps the order by score of a method without probabilities, but for implied and general terms', () => {
    const rows = [2, 3, 4, 6].map((id) => row(id, null, { answer_rank: null }));
    const order = answerOrder(rows, facts);
    expect(ids(order)).toEqual([4, 6, 2, 3]);
    expect(folded(order)).toEqual([2]);
  });
});

const aspectsOfTest = ['P', 'F', 'C'] as const;
/** Answers have up to 40 terms over a random ontology, ranked as the method `combined` ranks them. */
const answers = fc
  .array(
    fc.record({
      links: fc.array(fc.nat(), { maxLength: 3 }),
      probability: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      aspect: fc.constantFrom(...aspectsOfTest),
      carriers: fc.nat(999),
      isKnown: fc.option(fc.boolean()),
      isContradicted: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((drawn) => {
    const parentsOf = drawn.map(({ links }, child) => (child === 0 ? [] : links.map((n) => n % child)));
    // Every protein with a term has the terms above it, too.
    const carriers = drawn.map((one) => one.carriers);
    for (let child = drawn.length - 1; child > 0; child--)
      for (const parent of parentsOf[child]) carriers[parent] = Math.max(carriers[parent], carriers[child]);
    const bits = (term: number) => -Math.log2((carriers[term] + 1) / 1002);
    const ranking = answerRanking(
      drawn.map(({ aspect, score, probability }, term) => ({
        term,
        aspect,
        score,
        probability,
        bits: bits(term),
        speakers: 1000,
      })),
    );
    const above = new Map(parentsOf.entries());
    const rows = ranking.map((term, rank) => {
      const { probability, score, isKnown: is_known, isContradicted } = drawn[term];
      const contradiction = isContradicted ? 'never' : null;
      return row(term, probability, { score, is_known, contradiction, answer_rank: rank + 1 });
    });
    const aspectOf = ({ go_term_id }: RankedTerm): Aspect => drawn[go_term_id].aspect;
    const wordOf = ({ aspect, score, probability }: (typeof drawn)[number]) =>
      certaintyOf(probability ?? measuredRate(aspect, score));
    /** A common term says enough where it is likely or strong, at most half have it, and all rarer terms of its aspect are weak. */
    const saysLittle = (term: number) => {
      if (bits(term) >= 3) return false;
      const rarer = drawn.filter(({ aspect }, other) => aspect === drawn[term].aspect && bits(other) >= 3);
      const leads =
        ['strong', 'likely'].includes(wordOf(drawn[term]) ?? '') &&
        bits(term) >= 1 &&
        rarer.every((one) => (wordOf(one) ?? 'weak') === 'weak');
      return !leads;
    };
    return { rows, above, aspectOf, saysLittle };
  });

describe('the order of any answer', () => {
  const placed = ({ rows, above, aspectOf }: typeof answers extends fc.Arbitrary<infer One> ? One : never) =>
    answerOrder(
      rows.map((one) => ({ ...one })),
      { parents: above, aspectOf, isGeneral: () => false },
    );
  const word = ({ probability, score }: RankedTerm, aspect: Aspect) =>
    certainties.indexOf(certaintyOf(probability ?? measuredRate(aspect, score)) ?? 'weak');
  const isShown = ({ probability, score, contradiction }: RankedTerm) =>
    contradiction === null && (probability === null ? score >= 0.2 : probability >= 0.1);

  it('is a permutation, monotone by the rule within each aspect', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const order = placed(answer);
        expect(ids(order).toSorted((a, b) => a - b)).toEqual(ids(answer.rows).toSorted((a, b) => a - b));
        const shown = order.filter(isShown);
        for (const aspect of aspectsOfTest) {
          const own = shown.filter((one) => answer.aspectOf(one) === aspect);
          const keys = own.map((one) => [
            Number(one.is_known === true),
            Number(answer.saysLittle(one.go_term_id)),
            word(one, aspect),
            Number(one.folded_under !== null),
          ]);
          expect(keys).toEqual(keys.toSorted((a, b) => a.map((x, i) => x - b[i]).find((d) => d !== 0) ?? 0));
        }
        const aspects = shown.map((one) => answer.aspectOf(one));
        expect(aspects.filter((one, at) => one !== aspects[at - 1]).length).toBe(new Set(aspects).size);
      }),
    );
  });

  it('hides a term only under one of its aspect that implies it, is as certain, and is shown itself', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const order = placed(answer);
        const byId = new Map(order.map((one) => [one.go_id, one]));
        for (const one of order) {
          if (one.folded_under === null) continue;
          const upper = byId.get(one.folded_under)!;
          expect(upper.folded_under).toBeNull();
          expect(answer.aspectOf(upper)).toBe(answer.aspectOf(one));
          const aspect = answer.aspectOf(one);
          expect(word(upper, aspect)).toBeLessThanOrEqual(word(one, aspect));
          const above = new Set([upper.go_term_id]);
          for (const next of above) for (const parent of answer.above.get(next) ?? []) above.add(parent);
          expect(above.has(one.go_term_id)).toBe(true);
        }
      }),
    );
  });
});
