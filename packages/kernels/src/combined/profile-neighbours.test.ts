import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OntologyGraph } from '../ontology/index.js';
import { columnsOf } from '../ontology/testing/columns.js';
import {
  buildCombinedReference,
  type CombinedReference,
  evidenceGroups,
  experimentalBit,
  groupTerms,
  type ProfileNeighbours,
  ProfileSearch,
} from './index.js';
import { minProfileInformation } from './profiles.js';

const termCount = 12;
const proteinCount = 40;

/**
 * The ontology has one root with eleven children; the proteins have few terms, so that many have the same and many are equally similar.
 */
const references = fc
  .array(
    fc.record({
      terms: fc.uniqueArray(fc.integer({ min: 1, max: termCount - 1 }), { maxLength: 4 }),
      isExperimental: fc.boolean(),
    }),
    { minLength: proteinCount, maxLength: proteinCount },
  )
  .map((proteins): CombinedReference => {
    const graph = new OntologyGraph(
      columnsOf(
        Array<'P'>(termCount).fill('P'),
        Array.from({ length: termCount - 1 }, (_, child): [number, number, number] => [child + 1, 0, 0]),
        { termIds: Array.from({ length: termCount }, (_, term) => `P${term}`) },
      ),
    );
    const byGroup = evidenceGroups.map((group) => {
      const isOfGroup = (isExperimental: boolean): boolean =>
        group === (isExperimental ? 'experimental' : 'signature');
      const rows = proteins.map(({ terms, isExperimental }) => (isOfGroup(isExperimental) ? terms : []));
      const start = new Int32Array(proteinCount + 1);
      rows.forEach((row, protein) => {
        start[protein + 1] = start[protein] + row.length;
      });
      return { start, terms: Int32Array.from(rows.flat()) };
    });
    const isRoot = Uint8Array.from({ length: termCount }, (_, term) => Number(term === 0));
    const annotated = groupTerms(byGroup, graph.ancestorClosure(), isRoot);
    return buildCombinedReference(graph, annotated, new Int32Array(proteinCount));
  });

/** Computes the cosine with each reference by its definition. */
function slowly(
  { annotated, information }: CombinedReference,
  terms: readonly number[],
  { mask, excluded, limit }: { mask: number; excluded: number; limit: number },
): ProfileNeighbours {
  const isInformative = (term: number): boolean => information[term] >= minProfileInformation;
  const normOf = (profile: readonly number[]): number =>
    Math.sqrt(profile.reduce((sum, term) => sum + information[term] ** 2, 0));
  const query = terms.filter(isInformative);
  const found: { reference: number; similarity: number }[] = [];
  for (let reference = 0; reference < proteinCount; reference++) {
    const profile: number[] = [];
    for (let e = annotated.start[reference]; e < annotated.start[reference + 1]; e++)
      if (annotated.groups[e] & mask && isInformative(annotated.terms[e])) profile.push(annotated.terms[e]);
    const shared = profile.filter((term) => query.includes(term));
    if (reference === excluded || shared.length === 0) continue;
    const sum = shared.reduce((square, term) => square + information[term] ** 2, 0);
    found.push({ reference, similarity: sum / (normOf(query) * normOf(profile)) });
  }
  found.sort((a, b) => b.similarity - a.similarity || a.reference - b.reference);
  const kept = found.slice(0, limit);
  return {
    reference: Int32Array.from(kept, ({ reference }) => reference),
    similarity: Float64Array.from(kept, ({ similarity }) => Math.min(1, similarity)),
  };
}

describe('profile neighbours', () => {
  it.each([
    ['experimental', experimentalBit],
    ['any', 255],
  ] as const)('are those by the definition, to the bit: terms with %s evidence', (evidence, mask) => {
    fc.assert(
      fc.property(
        references,
        fc.array(fc.uniqueArray(fc.integer({ min: 1, max: termCount - 1 })), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: -1, max: proteinCount - 1 }),
        fc.integer({ min: 0, max: proteinCount + 1 }),
        (reference, queries, excluded, limit) => {
          const search = new ProfileSearch(reference, evidence);
          for (const query of queries) {
            const terms = [...query].sort((a, b) => a - b);
            expect(search.nearest(Int32Array.from(terms), { excluded, limit })).toEqual(
              slowly(reference, terms, { mask, excluded, limit }),
            );
          }
        },
      ),
    );
  });

  it('are none for terms that tell nothing', () => {
    const [reference] = fc.sample(references, { numRuns: 1, seed: 1 });
    const search = new ProfileSearch(reference, 'any');
    expect(search.nearest(new Int32Array(0), { excluded: -1, limit: 5 }).reference).toHaveLength(0);
  });
});
