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

/** A share that is not given is a half. */
const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });

describe('scores of the combination', () => {
  it('are the weighted mean of both, raised to the highest below, without what is known', () => {
    fc.assert(
      fc.property(world, scored, scored, share, ({ graph, query }, model, votes, votesShare) => {
        const scratch = new Int32Array(termCount).fill(-1);
        const own = query.own!;
        const place = { closure: graph.ancestorClosure(), scratch };
        const found = combinedScores(model, votes, own, { ...place, votesShare });
        const known = new Set(own.terms.filter((_, i) => (own.groups[i] & 1) === 1));
        const of = ({ term, score }: ScoredTerms, t: number): number => score[term.indexOf(t)] ?? 0;
        const all = [...new Set([...model.term, ...votes.term])]
          .filter((t) => !known.has(t))
          .sort((a, b) => a - b);
        expect([...found.term]).toEqual(all);
        const weight = votesShare ?? 0.5;
        const mean = (t: number): number => (1 - weight) * of(model, t) + weight * of(votes, t);
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
