import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { calibrationRule } from '../calibration/index.js';
import {
  type DatabaseCurve,
  DatabaseRates,
  databaseWindows,
  isSimilarAt,
  probabilityMeaningOf,
  relativesByAspect,
  unclassifiedBit,
  UntrainedVotes,
  votesOfAllEvidence,
} from './index.js';
import { aspectOf, proteinCount, slowGroups, world } from './testing/world.js';

const bins = (...probabilities: number[]) =>
  probabilities.map((probability, i) => ({
    ...{ score_from: i / probabilities.length, score_to: (i + 0.9) / probabilities.length },
    ...{ probability, low: probability, high: probability, proteins: 100 },
  }));
const curve = (about: Partial<DatabaseCurve>): DatabaseCurve => ({
  ...{ aspect: 'P', known: false, identity_from: 0, unrecorded_from: 0, windows: [] },
  bins: bins(0.1, 0.9),
  ...about,
});
const everyCurve = ['P', 'F', 'C'].flatMap((aspect) =>
  [true, false].map((known) => curve({ aspect, known })),
);

describe('how often databases hold a call', () => {
  it('is what the curve says of the votes of all evidence, and nothing for what the protein has', () => {
    fc.assert(
      fc.property(world, fc.boolean(), ({ reference, query }, isBare) => {
        const votes = new UntrainedVotes(reference);
        const asked = isBare ? { ...query, own: null } : query;
        const rate = new DatabaseRates(reference, votes, everyCurve).of(asked);
        const { term, score } = votes.score(asked, votesOfAllEvidence);
        term.forEach((t, i) => {
          const expected = asked.own?.terms.includes(t) === true ? null : score[i] < 0.5 ? 0.1 : 0.9;
          expect(rate(t)?.probability ?? null).toBe(expected);
        });
      }),
    );
  });

  it('counts each annotation alike, whatever shows it', () => {
    fc.assert(
      fc.property(world, ({ reference, query }) => {
        const weight = new Map<number, number>();
        const total = [5, 5, 5];
        query.aligned.reference.forEach((source, i) => {
          const worth = Math.max(0, 2 - query.aligned.logEValue[i]);
          const { annotated } = reference;
          const terms = annotated.terms.subarray(annotated.start[source], annotated.start[source + 1]);
          for (const term of terms) weight.set(term, (weight.get(term) ?? 0) + worth);
          for (const aspect of new Set([...terms].map(aspectOf))) total[aspect] += worth;
        });
        const { term, score } = new UntrainedVotes(reference).score(query, {
          ...votesOfAllEvidence,
          by: 'alignment',
        });
        term.forEach((t, i) =>
          expect(score[i]).toBeCloseTo(
            ((weight.get(t) ?? 0) + 5 * reference.experimental.share[t]) / total[aspectOf(t)],
            9,
          ),
        );
      }),
    );
  });

  it('is said by the first curve whose bounds the similar proteins reach, else not at all', () => {
    fc.assert(
      fc.property(world, ({ reference, query }) => {
        const curves = [
          curve({ identity_from: 0.5, unrecorded_from: 0.5 }),
          curve({ identity_from: 0.5 }),
          curve({ unrecorded_from: 0.5 }),
        ];
        const asked = { ...query, own: null };
        const [{ nearest, unrecorded }] = relativesByAspect(query, reference);
        const number = nearest >= 0.5 ? (unrecorded >= 0.5 ? 0 : 1) : unrecorded >= 0.5 ? 2 : null;
        const rate = new DatabaseRates(reference, new UntrainedVotes(reference), curves).of(asked);
        expect(rate(1)?.curve ?? null).toBe(number);
        // Terms of an aspect without a curve.
        expect(rate(8)).toBeNull();
      }),
    );
  });

  it('is not said where fewer than 100 proteins stand behind the bin, or without curves', () => {
    fc.assert(
      fc.property(world, ({ reference, query }) => {
        const few = curve({ bins: bins(0.4).map((bin) => ({ ...bin, proteins: 99 })) });
        for (const curves of [[few], []])
          expect(
            new DatabaseRates(reference, new UntrainedVotes(reference), curves).of({ ...query, own: null })(
              1,
            ),
          ).toBeNull();
      }),
      { numRuns: 10 },
    );
  });
});

it('the similar proteins of an aspect: the nearest, and the share without recorded evidence', () => {
  fc.assert(
    fc.property(world, fc.boolean(), (one, isUnrecorded) => {
      const { groups, ...rows } = one.reference.annotated;
      const unclassified = groups.map(() => unclassifiedBit);
      const annotated = { ...rows, groups: isUnrecorded ? unclassified : groups };
      const found = relativesByAspect(one.query, { ...one.reference, annotated });
      found.forEach(({ nearest, unrecorded }, aspect) => {
        const similar = [...one.query.aligned.reference.keys()].filter(
          (i) =>
            isSimilarAt(one.query.aligned.logEValue[i]) &&
            [...slowGroups(one, one.query.aligned.reference[i]).keys()].some((t) => aspectOf(t) === aspect),
        );
        expect(nearest).toBe(Math.max(0, ...similar.map((i) => one.query.aligned.identity[i])));
        // No row of these worlds is unclassified.
        expect(unrecorded).toBe(isUnrecorded && similar.length > 0 ? 1 : 0);
      });
      expect(proteinCount).toBeGreaterThan(one.query.aligned.reference.length);
    }),
  );
});

it('what a probability is the rate of follows from its data', () => {
  expect(probabilityMeaningOf(null)).toBeNull();
  expect(probabilityMeaningOf('yeast-2018, worm-2018')).toBe('shown by experiment');
  expect(probabilityMeaningOf(databaseWindows.join(', '))).toBe('held by the databases');
});

describe('the shipped curves of databases', () => {
  const read = (name: string) =>
    JSON.parse(
      readFileSync(new URL(`../../../../models/combined/${name}.json`, import.meta.url), 'utf8'),
    ) as unknown;
  const shipped = read('calibration-databases') as DatabaseCurve[];
  const tested = read('calibration-databases-test') as {
    kind: 'bare' | 'known';
    aspect: string;
    error: number;
    error_from_10: number;
    claimed: number;
    right: number;
  }[];

  it('rise, lie within their intervals, and name their data', () => {
    expect(new Set(shipped.map(({ aspect, known }) => `${aspect} ${known}`)).size).toBeGreaterThan(2);
    for (const { bins: some, windows } of shipped) {
      expect(windows).toEqual(databaseWindows);
      some.forEach(({ probability, low, high, score_from }, i) => {
        if (probability === null) return;
        expect([low! <= probability + 1e-9, probability <= high! + 1e-9]).toEqual([true, true]);
        if (i === 0) return;
        expect(score_from).toBeGreaterThan(some[i - 1].score_to);
        expect(probability).toBeGreaterThanOrEqual(some[i - 1].probability!);
      });
    }
  });

  it('are shown only where the test left an error of at most 0.05, and are sure only where three quarters were right', () => {
    const { largestError, minRight, sure } = calibrationRule;
    expect(tested).toHaveLength(6);
    for (const { kind, aspect, error, error_from_10, claimed, right } of tested) {
      const curves = shipped.filter((one) => one.aspect === aspect && one.known === (kind === 'known'));
      expect([kind, aspect, curves.length > 0]).toEqual([
        kind,
        aspect,
        Math.max(error, error_from_10) <= largestError,
      ]);
      const highest = Math.max(0, ...curves.flatMap((one) => one.bins.map((bin) => bin.probability ?? 0)));
      if (claimed === 0 || right < minRight * claimed) expect(highest).toBeLessThan(sure);
    }
  });
});
