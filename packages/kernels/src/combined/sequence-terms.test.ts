import fc from 'fast-check';
import { expect, it } from 'vitest';
import { leastProteins } from '../calibration/index.js';
import { aspects } from '../vocabulary/index.js';
import { answerEnd, type SequenceCurve, type SequenceCurves, SequenceTerms } from './index.js';
import { termCount, type World, world } from './testing/world.js';

const rates: [from: number, probability: number][] = [
  [0, 0.02],
  [0.2, 0.15],
  [0.5, 0.4],
  [0.8, 0.9],
];
const word = { said: 1, probability: 0.5, right: 1 };
const curveOf = (families: number = leastProteins): SequenceCurve => ({
  families: 150,
  test: { strong: word, likely: word, possible: word, weak: word },
  bins: rates.map(([low, probability]) => ({ low, high: low, probability, families })),
});
const curves = {
  share_of_difference: 0.5,
  trained: { share_with_aspect: { P: 0.9, F: 0.8, C: 0.7 }, greatest: 0.999 },
  aspects: { P: curveOf(), C: curveOf() },
} satisfies SequenceCurves;
const outputs = {
  // The ontology lacks every fifth output.
  term: Int32Array.from({ length: termCount }, (_, term) => (term % 5 === 4 ? -1 : term)),
  bits: Float64Array.from({ length: termCount }, (_, term) => 1 + (term % 7)),
};
const asked = fc.record({
  one: world,
  said: fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: termCount, maxLength: termCount }),
});

function closureOf({ reference }: World) {
  const above = Array.from({ length: termCount }, (_, term) => {
    const found = new Set([term]);
    for (const one of found)
      for (let at = reference.parents.start[one]; at < reference.parents.start[one + 1]; at++)
        found.add(reference.parents.terms[at]);
    return [...found].sort((a, b) => a - b);
  });
  const start = new Int32Array(termCount + 1);
  above.forEach((list, term) => (start[term + 1] = start[term] + list.length));
  return { above, closure: { start, terms: Int32Array.from(above.flat()) } };
}

/** Computes the answer term by term, without any table. */
function slowRates({ one, said }: { one: World; said: number[] }): Map<number, number> {
  const { aspect, experimental } = one.reference;
  const limited = (p: number) => Math.min(1 - 1e-6, Math.max(1e-6, p));
  const logOdds = (p: number) => Math.log(limited(p) / (1 - limited(p)));
  const { above } = closureOf(one);
  const found = new Map<number, number>();
  for (let term = 0; term < termCount; term++) {
    const name = aspects[aspect[term]];
    if (above[term].length === 1 || name === 'F') continue;
    const moved = Array.from(outputs.term.keys())
      .filter((output) => outputs.term[output] >= 0 && above[outputs.term[output]].includes(term))
      .map((output) => {
        const speakers = experimental.speakers[aspect[output]];
        const { greatest, share_with_aspect } = curves.trained;
        const spoken = share_with_aspect[aspects[aspect[output]]];
        const trained = Math.min(greatest, 2 ** -outputs.bits[output] / spoken);
        const here = (experimental.carriers[output] + 0.5) / (speakers + 1);
        const move = speakers === 0 ? 0 : curves.share_of_difference * (logOdds(here) - logOdds(trained));
        return 1 / (1 + Math.exp(-logOdds(Math.fround(said[output])) - move));
      });
    if (moved.length === 0) continue;
    const best = Math.max(...moved);
    const rate = rates.findLast(([from]) => from <= best)?.[1] ?? 0;
    if (rate >= answerEnd.probability) found.set(term, rate);
  }
  return found;
}

it('gives each term the rate of its moved probability, and no others', () => {
  fc.assert(
    fc.property(asked, ({ one, said }) => {
      const terms = new SequenceTerms(one.reference, closureOf(one).closure, outputs, curves);
      const first = terms.answer(Float32Array.from(said));
      expect(new Map(Array.from(first.term, (term, i) => [term, first.rate[i]]))).toEqual(
        slowRates({ one, said }),
      );
      // Nothing is left over from the query before.
      expect(terms.answer(Float32Array.from(said))).toEqual(first);
      expect([...first.term]).toEqual([...first.term].sort((a, b) => a - b));
    }),
  );
});

it('rates no term below one that implies it in its aspect', () => {
  fc.assert(
    fc.property(asked, ({ one, said }) => {
      const { above, closure } = closureOf(one);
      const answer = new SequenceTerms(one.reference, closure, outputs, curves).answer(
        Float32Array.from(said),
      );
      const found = new Map(Array.from(answer.term, (term, i) => [term, answer.rate[i]]));
      for (const [term, rate] of found)
        for (const over of above[term])
          if (above[over].length > 1 && one.reference.aspect[over] === one.reference.aspect[term])
            expect(found.get(over)).toBeGreaterThanOrEqual(rate);
    }),
  );
});

it('never rates a term lower where the network says more', () => {
  fc.assert(
    fc.property(asked, fc.nat(termCount - 1), ({ one, said }, output) => {
      const terms = new SequenceTerms(one.reference, closureOf(one).closure, outputs, curves);
      const before = terms.answer(Float32Array.from(said));
      const after = terms.answer(Float32Array.from(said.with(output, 1)));
      const found = new Map(Array.from(after.term, (term, i) => [term, after.rate[i]]));
      before.term.forEach((term, i) => {
        expect(found.get(term)).toBeGreaterThanOrEqual(before.rate[i]);
      });
    }),
  );
});

it('gives no rate of a bin with few families', () => {
  fc.assert(
    fc.property(asked, ({ one, said }) => {
      const few = { ...curves, aspects: { P: curveOf(leastProteins - 1), C: curveOf(leastProteins - 1) } };
      const answer = new SequenceTerms(one.reference, closureOf(one).closure, outputs, few).answer(
        Float32Array.from(said),
      );
      expect(answer.term).toHaveLength(0);
    }),
  );
});
