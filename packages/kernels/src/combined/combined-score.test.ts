import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combinedScores, type ScoredTerms } from './index.js';
import { termCount, world } from './testing/world.js';

const scored = fc
  .uniqueArray(fc.tuple(fc.nat(termCount - 1), fc.double({ min: 0, max: 1, noNaN: true })), {
    selector: ([term]) => term,
  })
  .map(
    (pairs): ScoredTerms => ({
      term: Int32Array.from(pairs, ([term]) => term),
      score: Float64Array.from(pairs, ([, score]) => score),
    }),
  );

describe('scores of the combination', () => {
  it('are the mean of both, raised to the highest below, without what is known', () => {
    fc.assert(
      fc.property(world, scored, scored, ({ graph, query }, model, votes) => {
        const scratch = new Int32Array(termCount).fill(-1);
        const own = query.own!;
        const found = combinedScores(model, votes, own, { closure: graph.ancestorClosure(), scratch });
        const known = new Set(own.terms.filter((_, i) => (own.groups[i] & 1) === 1));
        const of = ({ term, score }: ScoredTerms, t: number): number => score[term.indexOf(t)] ?? 0;
        const all = [...new Set([...model.term, ...votes.term])]
          .filter((t) => !known.has(t))
          .sort((a, b) => a - b);
        expect([...found.term]).toEqual(all);
        const mean = (t: number): number => (of(model, t) + of(votes, t)) / 2;
        all.forEach((t, i) => {
          const below = new Set(graph.descendantsOf([t]));
          expect(found.score[i]).toBeCloseTo(
            Math.max(...all.filter((other) => below.has(other)).map(mean)),
            12,
          );
        });
      }),
    );
  });
});
