import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceGroupOf, evidenceGroups, makeConsistent, UntrainedVotes } from './index.js';
import { aspectOf, proteinCount, slowGroups, termCount, type World, world } from './testing/world.js';

const scores = ({ reference, query }: World, options = {}): Map<number, number> => {
  const { term, score } = new UntrainedVotes(reference).score(query, { minimumScore: 1e-9, ...options });
  return new Map(Array.from(term, (t, i) => [t, score[i]]));
};

describe('votes without training', () => {
  it('lie between 0 and 1, and no term is above one that lies above it', () => {
    fc.assert(
      fc.property(world, fc.boolean(), (one, withOwn) => {
        const found = scores(one, { withOwn });
        for (const score of found.values()) expect(score > 0 && score <= 1).toBe(true);
        for (const [child, parent] of one.edges)
          if (parent % 7 !== 0 && found.has(child))
            expect(found.get(parent) ?? 0).toBeGreaterThanOrEqual(found.get(child)! - 1e-12);
      }),
    );
  });

  it('are explained by parts that add up to the score', () => {
    fc.assert(
      fc.property(
        world,
        fc.boolean(),
        fc.constantFrom('alignment', 'distance', 'both'),
        (one, withOwn, by) => {
          const votes = new UntrainedVotes(one.reference);
          for (const [term, score] of scores(one, { withOwn, by })) {
            const { prior, own, sources } = votes.explain(one.query, term, { withOwn, by: by as 'both' });
            expect(sources.reduce((sum, { added }) => sum + added, prior + own)).toBeCloseTo(score, 9);
          }
        },
      ),
    );
  });

  it('count what a group states as often as experiments confirm it', () => {
    fc.assert(
      fc.property(world, ({ reference, annotations, ...one }) => {
        const rest = { reference, annotations, ...one };
        const groups = Array.from({ length: proteinCount }, (_, protein) => slowGroups(rest, protein));
        for (let group = 1; group < 6; group++)
          for (let aspect = 0; aspect < 3; aspect++) {
            const stated = groups
              .filter((own) => [...own].some(([t, by]) => aspectOf(t) === aspect && by.has(0)))
              .flatMap((own) => [...own].filter(([t, by]) => aspectOf(t) === aspect && by.has(group)));
            const confirmed = stated.filter(([, by]) => by.has(0)).length;
            expect(reference.groupProof[group * 3 + aspect]).toBeCloseTo(
              (confirmed + 1) / (stated.length + 2),
              12,
            );
          }
      }),
    );
  });

  it('are the mean of both kinds', () => {
    fc.assert(
      fc.property(world, (one) => {
        const byAlignment = scores(one, { by: 'alignment' });
        const byDistance = scores(one, { by: 'distance' });
        for (const [term, score] of scores(one))
          expect(score).toBeCloseTo(((byAlignment.get(term) ?? 0) + (byDistance.get(term) ?? 0)) / 2, 8);
      }),
    );
  });

  it('weigh merged distances by how much more the sources agree than the farthest', () => {
    fc.assert(
      fc.property(world, ({ query, ...one }) => {
        const agreement = query.near.distance.map((_, i) => 0.9 / (i + 1));
        const merged = { ...query.near, distance: agreement.map((a) => 2 * (1 - a)), isMerged: true };
        const plain = { ...query.near, distance: agreement.map((a) => 1 / a) };
        const found = scores({ ...one, query: { ...query, near: merged } }, { by: 'distance' });
        const expected = scores({ ...one, query: { ...query, near: plain } }, { by: 'distance' });
        expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
        for (const [term, score] of found) expect(score).toBeCloseTo(expected.get(term)!, 9);
      }),
    );
  });

  it('rise with a better alignment of a source that has the term by experiment', () => {
    fc.assert(
      fc.property(world, fc.nat(5), (one, pick) => {
        const { aligned } = one.query;
        if (aligned.reference.length === 0) return;
        const i = pick % aligned.reference.length;
        const logEValue = aligned.logEValue.slice();
        logEValue[i] -= 10;
        const before = scores(one, { by: 'alignment' });
        const after = scores(
          { ...one, query: { ...one.query, aligned: { ...aligned, logEValue } } },
          { by: 'alignment' },
        );
        const { start, terms, groups } = one.reference.annotated;
        for (let at = start[aligned.reference[i]]; at < start[aligned.reference[i] + 1]; at++)
          if (groups[at] & 1)
            expect(after.get(terms[at]) ?? 0).toBeGreaterThanOrEqual((before.get(terms[at]) ?? 0) - 1e-12);
      }),
    );
  });

  it('rise for what the protein has itself, which votes as a source of weight 100', () => {
    fc.assert(
      fc.property(world, (one) => {
        const without = scores(one, { by: 'alignment' });
        const withOwn = scores(one, { by: 'alignment', withOwn: true });
        const own = one.query.own!;
        own.terms.forEach((term, i) => {
          if ((own.groups[i] & ~1) === 0) return;
          expect(withOwn.get(term)!).toBeGreaterThanOrEqual(100 / (100 + 5 + 6 * 42));
          expect(withOwn.get(term)!).toBeGreaterThanOrEqual((without.get(term) ?? 0) - 1e-12);
        });
      }),
    );
  });

  it('are the experimental frequency without a source', () => {
    fc.assert(
      fc.property(world, (one) => {
        const none = {
          ...one.query,
          aligned: {
            reference: new Int32Array(0),
            logEValue: new Float64Array(0),
            identity: new Float64Array(0),
            share: new Float64Array(0),
          },
          near: { reference: new Int32Array(0), distance: new Float64Array(0) },
        };
        for (const [term, score] of scores({ ...one, query: none }))
          expect(score).toBeCloseTo(one.reference.experimental.share[term], 12);
      }),
    );
  });
});

describe('consistent scores', () => {
  it('are the highest among the terms below, and nothing else changes', () => {
    fc.assert(
      fc.property(
        world,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: termCount, maxLength: termCount }),
        ({ graph }, given) => {
          const terms = Int32Array.from({ length: termCount }, (_, t) => t).filter(
            (t) => (given[t] * 1000) % 3 > 1,
          );
          const score = Float64Array.from(terms, (t) => given[t]);
          const slotOf = new Int32Array(termCount).fill(-1);
          makeConsistent(terms, score, graph.ancestorClosure(), slotOf);
          terms.forEach((term, i) => {
            const below = new Set(graph.descendantsOf([term]));
            expect(score[i]).toBe(Math.max(...[...terms].filter((t) => below.has(t)).map((t) => given[t])));
          });
          expect(slotOf.every((slot) => slot === -1)).toBe(true);
        },
      ),
    );
  });
});

describe('evidence groups', () => {
  it.each([
    ['IDA', null, 'experimental'],
    ['TAS', 'PMID:1', 'experimental'],
    ['IBA', 'GO_REF:0000033', 'phylogenetic'],
    ['ISS', 'GO_REF:0000024', 'similarity'],
    ['IEA', 'GO_REF:0000002', 'signature'],
    ['IEA', 'GO_REF:0000043', 'vocabulary'],
    ['IEA', 'GO_REF:0000104', 'rule'],
    ['IEA', 'GO_REF:0000002|GO_REF:0000043', 'signature'],
    ['IEA', null, 'unclassified'],
    ['XYZ', null, 'unclassified'],
  ])('of %s with %s is %s', (code, reference, group) => {
    expect(evidenceGroups[evidenceGroupOf(code, reference)]).toBe(group);
  });

  it('has none for "nothing is known"', () => {
    expect(evidenceGroupOf('ND', 'GO_REF:0000015')).toBe(-1);
  });
});
