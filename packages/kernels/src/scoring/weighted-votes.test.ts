import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propagateTerms, termShares, WeightedVotes } from './index.js';

/** The ontology has the terms 0 (root) > 1 > 2 and 1 > 3 of aspect 0, and 4 (root) > 5 of aspect 1. */
const closure = {
  start: Int32Array.of(0, 1, 3, 6, 9, 10, 12),
  terms: Int32Array.of(0, 0, 1, 0, 1, 2, 0, 1, 3, 4, 4, 5),
};
const roots = Uint8Array.of(1, 0, 0, 0, 1, 0);
const aspect = Uint8Array.of(0, 0, 0, 0, 1, 1);
const aboveOf = [[0], [0, 1], [0, 1, 2], [0, 1, 3], [4], [4, 5]];
const compressed = (rows: readonly number[][]) => ({
  start: Int32Array.from(rows.reduce((starts, row) => [...starts, (starts.at(-1) ?? 0) + row.length], [0])),
  terms: Int32Array.from(rows.flat()),
});

const annotated = fc.array(fc.uniqueArray(fc.nat(5), { maxLength: 4 }), { minLength: 1, maxLength: 8 });

describe('propagateTerms and termShares', () => {
  it('equal sets and counts taken one by one', () => {
    fc.assert(
      fc.property(annotated, (rows) => {
        const propagated = propagateTerms(compressed(rows), closure, roots);
        const sets = rows.map((row) => new Set(row.flatMap((t) => aboveOf[t]).filter((t) => !roots[t])));
        sets.forEach((set, r) => {
          const found = propagated.terms.subarray(propagated.start[r], propagated.start[r + 1]);
          expect([...found]).toEqual([...set].sort((a, b) => a - b));
        });
        const { share, byAspect } = termShares(propagated, aspect, 2);
        for (let term = 0; term < 6; term++) {
          const speakers = sets.filter((set) => [...set].some((t) => aspect[t] === aspect[term]));
          const carriers = sets.filter((set) => set.has(term));
          expect(share[term]).toBe(carriers.length === 0 ? 0 : carriers.length / speakers.length);
        }
        byAspect.forEach((terms, number) => {
          const expected = [...share.keys()].filter((t) => aspect[t] === number && share[t] > 0);
          expected.sort((a, b) => share[b] - share[a] || a - b);
          expect([...terms]).toEqual(expected);
        });
      }),
    );
  });
});

describe('WeightedVotes', () => {
  const weights = fc.array(fc.constantFrom(0, 0.5, 1, 3), { minLength: 8, maxLength: 8 });
  it('is the weighted share shrunk to the frequency; a broader term never scores less', () => {
    fc.assert(
      fc.property(annotated, weights, fc.constantFrom(0.5, 5), (rows, all, priorWeight) => {
        const propagated = propagateTerms(compressed(rows), closure, roots);
        const shares = termShares(propagated, aspect, 2);
        const votes = new WeightedVotes(propagated, aspect, shares);
        const reference = Int32Array.from(rows.keys());
        const weight = Float64Array.from(reference, (r) => all[r]);
        const total = weight.reduce((sum, w) => sum + w, 0);
        const sets = rows.map((row) => new Set(row.flatMap((t) => aboveOf[t])));
        const options = { aspect: 0, priorWeight, minimumScore: 0.05 };
        const found = votes.score({ reference, weight }, options);
        const expected = [1, 2, 3].flatMap((term) => {
          const voted = reference.reduce((sum, r) => sum + (sets[r].has(term) ? weight[r] : 0), 0);
          const score = (voted + priorWeight * shares.share[term]) / (total + priorWeight);
          const carriers = [...reference].filter((r) => weight[r] > 0 && sets[r].has(term));
          const source = carriers.sort((a, b) => weight[b] - weight[a] || a - b)[0] ?? -1;
          return score >= 0.05 ? [{ term, score, source }] : [];
        });
        const sorted = [...expected].sort((a, b) => b.score - a.score || a.term - b.term);
        expect([...found.source]).toEqual(
          Array.from(found.term, (term) => expected.find((row) => row.term === term)?.source),
        );
        expect(found.term).toHaveLength(sorted.length);
        const scores = new Map(Array.from(found.term, (term, i) => [term, found.score[i]]));
        for (const { term, score } of sorted) expect(scores.get(term)).toBeCloseTo(score, 12);
        for (const narrow of [2, 3])
          expect(scores.get(1) ?? 0).toBeGreaterThanOrEqual((scores.get(narrow) ?? 0) - 1e-12);
        // A query leaves no state for the next one.
        expect(votes.score({ reference, weight }, options)).toEqual(found);
      }),
    );
  });

  it('counts what the query has itself as one more neighbour, in the aspects that it speaks of', () => {
    fc.assert(
      fc.property(annotated, weights, fc.uniqueArray(fc.nat(5), { maxLength: 4 }), (rows, all, own) => {
        const propagated = propagateTerms(compressed([...rows, own]), closure, roots);
        // The frequencies are those of the references alone.
        const shares = termShares(propagateTerms(compressed(rows), closure, roots), aspect, 2);
        const votes = new WeightedVotes(propagated, aspect, shares);
        const reference = Int32Array.from(rows.keys());
        const weight = Float64Array.from(reference, (r) => all[r]);
        const terms = propagated.terms.slice(
          propagated.start[rows.length],
          propagated.start[rows.length + 1],
        );
        for (const number of [0, 1]) {
          const options = { aspect: number, priorWeight: 5, minimumScore: 0.01 };
          const speaks = terms.some((term) => aspect[term] === number);
          // A neighbour with the same terms supports the same; a neighbour without a term of the aspect would count in the total.
          const expected = votes.score(
            speaks
              ? {
                  reference: Int32Array.of(...reference, rows.length),
                  weight: Float64Array.of(...weight, 100),
                }
              : { reference, weight },
            options,
          );
          expect(votes.score({ reference, weight, own: { terms, weight: 100 } }, options)).toEqual(expected);
        }
      }),
    );
  });

  it('refuses weights and options that mean nothing', () => {
    const propagated = compressed([[1]]);
    const votes = new WeightedVotes(propagated, aspect, termShares(propagated, aspect, 2));
    const one = { reference: Int32Array.of(0), weight: Float64Array.of(1) };
    const usual = { aspect: 0, priorWeight: 1, minimumScore: 0.1 };
    expect(() => votes.score(one, { ...usual, priorWeight: 0 })).toThrow('prior weight');
    expect(() => votes.score(one, { ...usual, minimumScore: 0 })).toThrow('minimum score');
    expect(() => votes.score({ ...one, weight: Float64Array.of(-1) }, usual)).toThrow('weight -1');
    const own = { terms: Int32Array.of(1), weight: Number.NaN };
    expect(() => votes.score({ ...one, own }, usual)).toThrow('weight NaN');
  });
});
