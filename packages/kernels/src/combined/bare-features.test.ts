import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  bareColumns,
  BareFeatures,
  bareFeatures,
  CombinedFeatures,
  combinedFeatures,
  isSimilarAt,
  mappedExcess,
  NetworkTermReader,
} from './index.js';
import { aspectOf, slowGroups, termCount, type World, world } from './testing/world.js';

const width = bareFeatures.length;
const bare = ({ query }: World) => ({ ...query, own: null });

const outputs = {
  term: Int32Array.from({ length: termCount }, (_, term) => (term % 5 === 4 ? -1 : term)),
  trained: new Float64Array(termCount).fill(0.1),
  map: null,
};
const probabilities = Float32Array.from({ length: termCount }, (_, output) => (output + 1) / (termCount + 2));

/** Gives the features of each candidate by name. */
function described(one: World, withNetwork: boolean) {
  const network = withNetwork ? new NetworkTermReader(one.reference, outputs).read(probabilities) : null;
  const found = new Map<number, Record<string, number>>();
  for (const { terms, features } of new BareFeatures(one.reference).describe(bare(one), network))
    terms.forEach((term, i) =>
      found.set(term, Object.fromEntries(bareFeatures.map((name, c) => [name, features[i * width + c]]))),
    );
  return found;
}

const logOdds = (p: number): number => Math.log(p / (1 - p));

it('keeps the candidates and columns of the combination', () => {
  fc.assert(
    fc.property(world, (one) => {
      const base = new CombinedFeatures(one.reference).describe(bare(one));
      const found = new BareFeatures(one.reference).describe(bare(one), null);
      base.forEach(({ terms, features }, a) => {
        expect(found[a].terms).toEqual(terms);
        terms.forEach((_, i) =>
          expect(found[a].features.slice(i * width, i * width + combinedFeatures.length)).toEqual(
            features.slice(i * combinedFeatures.length, (i + 1) * combinedFeatures.length),
          ),
        );
      });
    }),
  );
});

it('counts the similar proteins that have the term', () => {
  fc.assert(
    fc.property(world, (one) => {
      const groups = Array.from(one.organism, (_, protein) => slowGroups(one, protein));
      const { aligned } = one.query;
      for (const [term, of] of described(one, false)) {
        const similar = [...aligned.reference.keys()].filter(
          (i) =>
            isSimilarAt(aligned.logEValue[i]) &&
            [...groups[aligned.reference[i]].keys()].some((other) => aspectOf(other) === aspectOf(term)),
        );
        const having = similar.filter((i) => groups[aligned.reference[i]].has(term));
        const most = (places: number[]): number => Math.max(0, ...places.map((i) => aligned.share[i]));
        expect(of.similar_number).toBe(similar.length);
        if (similar.length === 0) {
          expect([of.similar_nearest, of.similar_share, of.similar_nearness]).toEqual([NaN, NaN, NaN]);
          continue;
        }
        expect(of.similar_nearest).toBeCloseTo(Math.max(...similar.map((i) => aligned.identity[i])), 6);
        expect(of.similar_share).toBeCloseTo(having.length / similar.length, 6);
        expect(of.similar_nearness).toBeCloseTo(most(having) / most(similar), 6);
      }
    }),
  );
});

it('says what the network says of the term, its children and its parents', () => {
  fc.assert(
    fc.property(world, (one) => {
      const { experimental, aspect } = one.reference;
      const moved = (term: number): number => {
        if (outputs.term[term] < 0) return Number.NaN;
        const own = logOdds(probabilities[term]);
        const speakers = experimental.speakers[aspect[term]];
        if (speakers === 0) return own;
        const frequency = (experimental.carriers[term] + 0.5) / (speakers + 1);
        return own + 0.3 * (logOdds(frequency) - logOdds(0.1));
      };
      const among = (terms: number[]): number[] => terms.map(moved).filter((value) => !Number.isNaN(value));
      for (const [term, of] of described(one, true)) {
        const value = moved(term);
        if (Number.isNaN(value)) {
          expect([of.network_excess, of.network_moved, of.network_rank]).toEqual([NaN, NaN, NaN]);
          continue;
        }
        const children = among(one.edges.flatMap(([child, parent]) => (parent === term ? [child] : [])));
        const parents = among(one.edges.flatMap(([child, parent]) => (child === term ? [parent] : [])));
        const others = among([...outputs.term.keys()].filter((t) => aspect[t] === aspect[term]));
        expect(of.network_excess).toBeCloseTo(logOdds(probabilities[term]) - logOdds(0.1), 4);
        expect(of.network_moved).toBeCloseTo(value, 4);
        if (children.length > 0) expect(of.network_child).toBeCloseTo(Math.max(...children), 4);
        else expect(of.network_child).toBeNaN();
        if (parents.length > 0) expect(of.network_parent).toBeCloseTo(Math.min(...parents), 4);
        else expect(of.network_parent).toBeNaN();
        const before = 2 ** of.network_rank - 1;
        expect(before).toBeGreaterThan(others.filter((other) => other > value + 1e-9).length - 0.01);
        expect(before).toBeLessThan(others.filter((other) => other >= value - 1e-9).length - 0.99);
      }
    }),
  );
});

it('has no column of the network where it was not asked, and none of the protein itself for the model', () => {
  fc.assert(
    fc.property(world, (one) => {
      for (const of of described(one, false).values()) expect(of.network_moved).toBeNaN();
    }),
  );
  const names = bareColumns.map((column) => bareFeatures[column]);
  expect(names.filter((name) => /^(own|known|given|profile|gap|parents)_/.test(name))).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['align_votes_any', 'frequency_organism', 'network_rank']));
});

it('reads another network by equal quantiles', () => {
  const map = { from: [-3, 0, 5], to: [-2, 0.5, 5.5] };
  expect(map.from.map((value) => mappedExcess(map, value))).toEqual(map.to);
  expect([-4, -1.5, 2.5, 9].map((value) => mappedExcess(map, value))).toEqual([-3, -0.75, 3, 9.5]);
  fc.assert(
    fc.property(world, ({ reference }) => {
      const plain = new NetworkTermReader(reference, outputs).read(probabilities);
      const mapped = new NetworkTermReader(reference, { ...outputs, map: [map, map, map] }).read(
        probabilities,
      );
      plain.excess.forEach((value, term) => {
        if (Number.isNaN(value)) return;
        expect(mapped.excess[term]).toBe(mappedExcess(map, value));
        expect(mapped.moved[term] - plain.moved[term]).toBeCloseTo(mapped.excess[term] - value, 9);
      });
    }),
  );
});
