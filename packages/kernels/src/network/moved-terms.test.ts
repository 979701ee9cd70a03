import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logOdds, movedTerms, movesTowards } from './moved-terms.js';

/** A root 0 with the child 1 and its child 2, and the root 3 of another aspect with the child 4. */
const closure = { start: Int32Array.of(0, 1, 3, 6, 7, 9), terms: Int32Array.of(0, 0, 1, 0, 1, 2, 3, 3, 4) };
const aspect = Uint8Array.of(0, 0, 0, 1, 1);
const outputs = { term: Int32Array.of(2, -1, 4, 1), trained: Float64Array.of(0.1, 0.2, 0.3, 0.4) };
const counts = { carriers: Int32Array.of(9, 5, 1, 0, 0), speakers: Int32Array.of(9, 0, 0) };

describe('probabilities moved to the frequencies of a reference', () => {
  it('moves by the whole difference so that what is as frequent as in training becomes as frequent as here', () => {
    const moves = movesTowards(outputs, counts, aspect, 1);
    const probability = 1 / (1 + Math.exp(-logOdds(0.1) - moves[0]));
    expect(probability).toBeCloseTo(1.5 / 10, 12);
    // The reference has no protein with a term of the second aspect, and the graph lacks the second output.
    expect([...moves.subarray(1, 3)]).toEqual([0, 0]);
    expect(movesTowards(outputs, counts, aspect, 0.3)[0]).toBeCloseTo(0.3 * moves[0], 12);
  });

  it('raises terms to what is below them, and leaves its memory as it was', () => {
    const scratch = new Float64Array(5);
    const moves = new Float64Array(4);
    const probabilities = Float32Array.of(0.75, 0.9, 0.125, 0.5);
    const found = movedTerms(outputs, { probabilities, moves, from: 0.25 }, { closure, scratch });
    expect([...found.term]).toEqual([0, 1, 2]);
    expect([...found.score].map((value) => Math.round(1e6 * value) / 1e6)).toEqual([0.75, 0.75, 0.75]);
    expect([...scratch]).toEqual([0, 0, 0, 0, 0]);
  });

  it('gives no term a higher probability than one above it', () => {
    const probability = fc.float({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(probability, probability, probability, probability), (given) => {
        const moves = movesTowards(outputs, counts, aspect, 0.6);
        const asked = { probabilities: Float32Array.from(given), moves, from: 0.01 };
        const { term, score } = movedTerms(outputs, asked, { closure, scratch: new Float64Array(5) });
        const scoreOf = new Map(Array.from(term, (t, i) => [t, score[i]]));
        for (const t of term)
          for (let at = closure.start[t]; at < closure.start[t + 1]; at++)
            expect(scoreOf.get(closure.terms[at])).toBeGreaterThanOrEqual(scoreOf.get(t) ?? 0);
      }),
    );
  });
});
