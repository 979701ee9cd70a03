import fc from 'fast-check';
import { OntologyGraph } from '../../ontology/index.js';
import { columnsOf } from '../../ontology/testing/columns.js';
import {
  buildCombinedReference,
  type CombinedQuery,
  type CombinedReference,
  groupTerms,
  ownTermsOf,
} from '../index.js';

const perAspect = 7;
export const termCount = 3 * perAspect;
export const proteinCount = 8;
const aspects = (['P', 'F', 'C'] as const).flatMap((aspect) =>
  Array<'P' | 'F' | 'C'>(perAspect).fill(aspect),
);

/** An ontology of three aspects with one root and six terms each. A parent has a smaller number than its child. */
export interface World {
  graph: OntologyGraph;
  edges: [child: number, parent: number][];
  /** Triples of protein, term and evidence group. */
  annotations: [number, number, number][];
  organism: Int32Array;
  reference: CombinedReference;
  query: CombinedQuery;
}

const edges = fc.array(fc.tuple(fc.nat(2), fc.nat(perAspect - 2), fc.nat(perAspect - 2)), { maxLength: 12 });
const annotations = fc.array(fc.tuple(fc.nat(proteinCount - 1), fc.nat(termCount - 1), fc.nat(5)), {
  maxLength: 40,
});
const sources = fc.uniqueArray(
  fc.record({
    reference: fc.integer({ min: 1, max: proteinCount - 1 }),
    logEValue: fc.integer({ min: -40, max: 4 }),
    identity: fc.integer({ min: 1, max: 100 }).map((n) => n / 100),
    share: fc.integer({ min: 1, max: 100 }).map((n) => n / 100),
    distance: fc.integer({ min: 1, max: 100 }).map((n) => n / 100),
  }),
  { selector: ({ reference }) => reference, maxLength: 6 },
);

/** A reference of eight proteins; protein 0 is the query. */
export const world: fc.Arbitrary<World> = fc
  .record({
    picks: edges,
    annotations,
    organism: fc.array(fc.nat(1), { minLength: proteinCount, maxLength: proteinCount }),
    aligned: sources,
    near: sources,
  })
  .map(({ picks, annotations, organism, aligned, near }) => {
    const chain = [0, 1, 2].flatMap((aspect) =>
      Array.from({ length: perAspect - 1 }, (_, i): [number, number] => {
        const parent = i === 0 || picks.length % 2 === 0 ? 0 : Math.floor(i / 2);
        return [aspect * perAspect + i + 1, aspect * perAspect + parent];
      }),
    );
    const more = picks.map(([aspect, a, b]): [number, number] => [
      aspect * perAspect + Math.max(a, b) + 1,
      aspect * perAspect + Math.min(a, b),
    ]);
    const all = [...chain, ...more];
    const graph = new OntologyGraph(
      columnsOf(
        aspects,
        all.map(([child, parent]) => [child, parent, 0]),
        { termIds: aspects.map((aspect, i) => `${aspect}${i % perAspect}`) },
      ),
    );
    const byGroup = Array.from({ length: 7 }, (_, group) =>
      rowsOf(annotations.filter(([, , g]) => g === group)),
    );
    const isRoot = Uint8Array.from(aspects, (_, term) => Number(term % perAspect === 0));
    const annotated = groupTerms(byGroup, graph.ancestorClosure(), isRoot);
    const reference = buildCombinedReference(graph, annotated, Int32Array.from(organism));
    aligned.sort((a, b) => a.logEValue - b.logEValue || a.reference - b.reference);
    near.sort((a, b) => a.distance - b.distance || a.reference - b.reference);
    const query: CombinedQuery = {
      aligned: {
        reference: Int32Array.from(aligned, (source) => source.reference),
        logEValue: Float64Array.from(aligned, (source) => source.logEValue),
        identity: Float64Array.from(aligned, (source) => source.identity),
        share: Float64Array.from(aligned, (source) => source.share),
      },
      near: {
        reference: Int32Array.from(near, (source) => source.reference),
        distance: Float64Array.from(near, (source) => source.distance),
      },
      self: 0,
      own: ownTermsOf(reference, 0),
      organism: organism[0],
    };
    return { graph, edges: all, annotations, organism: Int32Array.from(organism), reference, query };
  });

function rowsOf(pairs: [number, number, number][]): { start: Int32Array; terms: Int32Array } {
  const sorted = [...pairs].sort((a, b) => a[0] - b[0]);
  const start = new Int32Array(proteinCount + 1);
  for (const [protein] of sorted) start[protein + 1]++;
  for (let p = 0; p < proteinCount; p++) start[p + 1] += start[p];
  return { start, terms: Int32Array.from(sorted, ([, term]) => term) };
}

/** Finds the groups by which a protein has each term, by recursion over the edges, without roots. */
export function slowGroups({ edges: all, annotations }: World, protein: number): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  const add = (term: number, group: number): void => {
    if (term % perAspect !== 0) found.set(term, (found.get(term) ?? new Set()).add(group));
    for (const [child, parent] of all) if (child === term) add(parent, group);
  };
  for (const [p, term, group] of annotations) if (p === protein) add(term, group);
  return found;
}

export const aspectOf = (term: number): number => Math.floor(term / perAspect);
