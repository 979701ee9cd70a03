import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOrder, certaintyOf, type RankedTerm } from './index.js';

const row = (go_term_id: number, probability: number | null, more: Partial<RankedTerm> = {}): RankedTerm => ({
  go_term_id,
  score: 0.5,
  probability,
  answer_rank: go_term_id,
  contradiction: null,
  ...more,
});
const ids = (rows: readonly RankedTerm[]) => rows.map(({ go_term_id }) => go_term_id);

/** 1 is the root; 2 and 3 are below it, 4 below 2, 5 below 4. */
const parents = new Map([
  [2, [1]],
  [3, [1]],
  [4, [2]],
  [5, [4]],
]);

describe('the order of an answer', () => {
  it('has the most specific terms of one certainty first, and those that say little last', () => {
    const rows = [row(1, 0.99), row(2, 0.95), row(3, 0.9), row(4, 0.85), row(5, 0.82)];
    expect(ids(answerOrder(rows, parents))).toEqual([5, 4, 2, 3, 1]);
  });

  it('has a certain term before one that implies it and is less certain, and terms without a probability last', () => {
    const deeper = new Map([...parents, [6, [5]], [7, [4]]]);
    const rows = [row(1, 0.99), row(2, 0.9), row(4, 0.85), row(5, 0.6), row(6, 0.55), row(7, null)];
    expect(ids(answerOrder(rows, deeper))).toEqual([4, 6, 5, 7, 2, 1]);
  });

  it('lets only terms of the answer imply others, and has the rest at the end', () => {
    const rows = [row(1, 0.99), row(2, 0.9), row(4, 0.05), row(5, 0.9, { contradiction: 'never in plants' })];
    expect(ids(answerOrder(rows, parents))).toEqual([2, 1, 4, 5]);
  });

  it('keeps the order by score of a method without probabilities, but for implied terms', () => {
    const plain = { answer_rank: null };
    const rows = [row(1, null, plain), row(3, null, plain), row(2, null, plain), row(5, null, plain)];
    expect(ids(answerOrder(rows, new Map([...parents, [5, [2]]])))).toEqual([5, 3, 2, 1]);
  });

  it('is a permutation, where no term comes before one of its certainty that implies it', () => {
    const graph = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 });
    const chances = fc.array(fc.option(fc.double({ min: 0.1, max: 1, noNaN: true })), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(graph, chances, (links, probabilities) => {
        const above = new Map(
          links.map((to, child) => [child, child === 0 ? [] : to.map((n) => n % child)] as const),
        );
        const rows = links.map((_, term) => row(term, probabilities[term]));
        const order = ids(answerOrder(rows, above));
        expect(order.toSorted((a, b) => a - b)).toEqual(ids(rows));
        const place = (term: number) =>
          ['strong', 'likely', 'possible', null].indexOf(certaintyOf(probabilities[term]));
        for (const [child, list] of above)
          for (const parent of list)
            if (place(parent) === place(child))
              expect(order.indexOf(child)).toBeLessThan(order.indexOf(parent));
      }),
    );
  });
});
