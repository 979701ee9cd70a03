import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  candidateLimits,
  CombinedFeatures,
  type CombinedFeature,
  combinedFeatures,
  featureAt,
} from './index.js';
import { aspectOf, proteinCount, slowGroups, type World, world } from './testing/world.js';

const width = combinedFeatures.length;

/** Gives a function for each candidate term that returns its features by name. */
function described({ reference, query }: World): Map<number, (name: CombinedFeature) => number> {
  const found = new Map<number, (name: CombinedFeature) => number>();
  for (const { terms, features } of new CombinedFeatures(reference).describe(query))
    terms.forEach((term, row) => found.set(term, (name) => features[row * width + featureAt[name]]));
  return found;
}

/** A slow implementation, which follows the definitions with sets. */
class Slowly {
  readonly groups: Map<number, Set<number>>[];

  constructor(readonly world: World) {
    this.groups = Array.from({ length: proteinCount }, (_, p) => slowGroups(world, p));
  }

  has(protein: number, term: number, experimental: boolean): boolean {
    const groups = this.groups[protein].get(term);
    return groups !== undefined && (!experimental || groups.has(0));
  }

  speaks(protein: number, aspect: number, experimental: boolean): boolean {
    return [...this.groups[protein]].some(
      ([term, groups]) => aspectOf(term) === aspect && (!experimental || groups.has(0)),
    );
  }

  frequency(term: number, experimental: boolean, proteins = [...this.groups.keys()]): [number, number] {
    return [
      proteins.filter((p) => this.has(p, term, experimental)).length,
      proteins.filter((p) => this.speaks(p, aspectOf(term), experimental)).length,
    ];
  }

  share(term: number, experimental: boolean): number {
    const [carriers, speakers] = this.frequency(term, experimental);
    return carriers === 0 ? 0 : carriers / speakers;
  }

  votes(
    term: number,
    sources: { reference: number; weight: number }[],
    prior: number,
    experimental: boolean,
  ): number {
    const a = aspectOf(term);
    const sum = (keeps: (p: number) => boolean): number =>
      sources.filter(({ reference }) => keeps(reference)).reduce((total, { weight }) => total + weight, 0);
    return (
      (sum((p) => this.has(p, term, experimental)) + prior * this.share(term, experimental)) /
      (sum((p) => this.speaks(p, a, experimental)) + prior)
    );
  }

  aligned(): { reference: number; weight: number }[] {
    const { aligned } = this.world.query;
    return Array.from(aligned.reference, (reference, i) => ({
      reference,
      weight: Math.max(0, 2 - aligned.logEValue[i]),
    })).filter(({ reference }) => this.groups[reference].size > 0);
  }

  near(): { reference: number; weight: number }[] {
    const { near } = this.world.query;
    const used = Array.from(near.reference, (reference, i) => ({
      reference,
      distance: near.distance[i],
    })).filter(({ reference }) => this.groups[reference].size > 0);
    const farthest = used.at(-1)?.distance ?? 0;
    return used.map(({ reference, distance }) => ({ reference, weight: farthest / distance - 1 }));
  }

  /** Returns P(term | s) for each of the most specific own terms that count. */
  given(term: number, experimental: boolean): number[] {
    const own = [...this.groups[0]].filter(([, groups]) => groups.has(0) === experimental).map(([t]) => t);
    const { edges } = this.world;
    const specific = own.filter(
      (s) => !own.some((other) => edges.some(([child, parent]) => child === other && parent === s)),
    );
    return specific.map((s) => {
      const carriers = [...this.groups.keys()].filter((p) => p !== 0 && this.has(p, s, experimental));
      const n = carriers.filter((p) => this.speaks(p, aspectOf(term), true)).length;
      const both = carriers.filter((p) => this.has(p, term, true)).length;
      return (both + 3 * this.share(term, true)) / (n + 3);
    });
  }
}

describe('features of the combination', () => {
  it('are what the definitions say', () => {
    fc.assert(
      fc.property(world, (one) => {
        const slow = new Slowly(one);
        const own = slow.groups[0];
        const known = [...own].filter(([, groups]) => groups.has(0)).map(([term]) => term);
        for (const [term, feature] of described(one)) {
          const near = (name: CombinedFeature, value: number) =>
            expect([name, term, feature(name)]).toEqual([
              name,
              term,
              Number.isNaN(value) ? Number.NaN : expect.closeTo(value, 5),
            ]);
          near('align_votes_experimental', slow.votes(term, slow.aligned(), 5, true));
          near('align_votes_any', slow.votes(term, slow.aligned(), 5, false));
          near('distance_votes_experimental', slow.votes(term, slow.near(), 0.5, true));
          near('distance_votes_any', slow.votes(term, slow.near(), 0.5, false));
          near(
            'align_donors_any',
            slow.aligned().filter(({ reference }) => slow.has(reference, term, false)).length,
          );
          near('frequency_experimental', slow.share(term, true));
          near('frequency_any', slow.share(term, false));
          const kin = [...one.organism.keys()].filter((p) => p !== 0 && one.organism[p] === one.organism[0]);
          const [carriers, speakers] = slow.frequency(term, true, kin);
          near('frequency_organism', (carriers + 20 * slow.share(term, true)) / (speakers + 20));
          near('own_electronic', own.has(term) ? 1 : 0);
          near('own_groups', own.get(term)?.size ?? 0);
          near('own_signature', Number(own.get(term)?.has(3) ?? false));
          near('known_terms', known.filter((t) => aspectOf(t) === aspectOf(term)).length);
          const claims = [...slow.groups.keys()].filter(
            (p) =>
              slow.speaks(p, aspectOf(term), true) &&
              [...(slow.groups[p].get(term) ?? [])].some((group) => group > 0),
          );
          const aspectClaims = slow.groups.flatMap((groups, p) =>
            slow.speaks(p, aspectOf(term), true)
              ? [...groups].filter(
                  ([t, by]) => aspectOf(t) === aspectOf(term) && [...by].some((group) => group > 0),
                )
              : [],
          );
          const rate = (aspectClaims.filter(([, by]) => by.has(0)).length + 1) / (aspectClaims.length + 2);
          const proof =
            (claims.filter((p) => slow.has(p, term, true)).length + 5 * rate) / (claims.length + 5);
          near('proof_rate', proof);
          const ofKin = claims.filter((p) => kin.includes(p));
          near(
            'proof_organism',
            (ofKin.filter((p) => slow.has(p, term, true)).length + 20 * proof) / (ofKin.length + 20),
          );
          const below = [...own.keys()].filter((t) => one.graph.ancestorsOf([t]).includes(term));
          const { information } = one.reference;
          const most = Math.max(...below.map((t) => information[t]));
          near('own_below', own.has(term) ? most - information[term] : Number.NaN);
          const givenKnown = slow.given(term, true);
          const mean = (list: number[]) => list.reduce((sum, p) => sum + p, 0) / list.length;
          if (givenKnown.length === 0) near('given_known_mean', Number.NaN);
          else near('given_known_mean', mean(givenKnown));
          const givenOwn = slow.given(term, false);
          if (givenOwn.length === 0) near('given_own_mean', Number.NaN);
          // Electronic terms count carriers by any evidence.
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never describe what is known, and no more than the limits', () => {
    fc.assert(
      fc.property(world, (one) => {
        const known = new Set(
          [...slowGroups(one, 0)].filter(([, groups]) => groups.has(0)).map(([term]) => term),
        );
        new CombinedFeatures(one.reference).describe(one.query).forEach(({ terms }, a) => {
          expect(terms.length).toBeLessThanOrEqual(candidateLimits[a]);
          expect(new Set(terms).size).toBe(terms.length);
          for (const term of terms) expect([aspectOf(term), known.has(term)]).toEqual([a, false]);
        });
      }),
    );
  });

  it('are the same for sources in another order, and for a second query of the same instance', () => {
    fc.assert(
      fc.property(world, fc.nat(), (one, seed) => {
        const kernel = new CombinedFeatures(one.reference);
        const first = kernel.describe(one.query);
        expect(kernel.describe(one.query)).toEqual(first);
        const order = [...one.query.aligned.reference.keys()].sort(
          (a, b) => ((a * 7 + seed) % 5) - ((b * 7 + seed) % 5),
        );
        const { reference, logEValue, identity, share } = one.query.aligned;
        const aligned = {
          reference: Int32Array.from(order, (i) => reference[i]),
          logEValue: Float64Array.from(order, (i) => logEValue[i]),
          identity: Float64Array.from(order, (i) => identity[i]),
          share: Float64Array.from(order, (i) => share[i]),
        };
        const other = described({ ...one, query: { ...one.query, aligned } });
        for (const [term, feature] of described(one))
          for (const name of combinedFeatures) {
            const value = feature(name);
            const same = other.get(term)!(name);
            expect([name, same]).toEqual([name, Number.isNaN(value) ? Number.NaN : expect.closeTo(value, 5)]);
          }
      }),
    );
  });

  it('are missing, not 0, where nothing is known of the protein', () => {
    fc.assert(
      fc.property(world, (one) => {
        const bare = { ...one.query, self: -1, own: null, organism: -1 };
        for (const feature of described({ ...one, query: bare }).values())
          for (const name of combinedFeatures)
            if (/^(own_|known_|parents_|gap_|profile_|given_|frequency_organism)/.test(name))
              expect([name, feature(name)]).toEqual([name, Number.NaN]);
      }),
    );
  });
});
