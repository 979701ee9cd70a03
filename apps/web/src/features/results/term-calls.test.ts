import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Prediction } from '../../app/api/predictions.js';
import { countByAspect, foldBroader, groupByTerm } from './term-calls.js';

function prediction(changes: Partial<Prediction>): Prediction {
  return {
    go_id: 'GO:0000001',
    name: 'a term',
    aspect: 'P',
    score: 0.9,
    distance: 0.2,
    is_nearest: true,
    ref_protein_accession: 'P00001',
    source_kind: 'protein',
    source_id: 'P00001',
    qualifier: null,
    evidence_code: 'IDA',
    identity_nw: null,
    similarity_nw: null,
    alignment_score_nw: null,
    gaps_pct_nw: null,
    alignment_length_nw: null,
    identity_sw: null,
    similarity_sw: null,
    alignment_score_sw: null,
    gaps_pct_sw: null,
    alignment_length_sw: null,
    length_query: null,
    length_ref: null,
    query_taxonomy_id: null,
    ref_taxonomy_id: null,
    taxonomic_lca: null,
    taxonomic_distance: null,
    taxonomic_common_ancestors: null,
    taxonomic_relation: null,
    vote_count: null,
    k_position: null,
    go_term_frequency: null,
    ref_annotation_density: null,
    neighbor_distance_std: null,
    neighbor_vote_fraction: null,
    probability: null,
    probability_low: null,
    probability_high: null,
    calibrated_on: null,
    answer_rank: null,
    source_identity: null,
    similar_proteins: null,
    supporters: null,
    contradiction: null,
    ...changes,
  };
}

describe('groupByTerm', () => {
  it('puts the donors of a term together, the nearest first', () => {
    const calls = groupByTerm([
      prediction({ is_nearest: false, distance: 0.4, source_id: 'P00003' }),
      prediction({ vote_count: 2 }),
      prediction({ is_nearest: false, distance: 0.4, source_id: 'P00002' }),
      prediction({ go_id: 'GO:0000002', score: 0.95, aspect: 'C' }),
    ]);
    expect(calls.map((call) => call.goId)).toEqual(['GO:0000002', 'GO:0000001']);
    expect(calls[1]?.donors.map((donor) => donor.source_id)).toEqual(['P00001', 'P00002', 'P00003']);
    expect(calls[1]?.supporters).toBe(2);
    expect(countByAspect(calls)).toEqual({ P: 1, F: 0, C: 1 });
  });

  it('puts sources without a distance last', () => {
    const calls = groupByTerm([
      prediction({ is_nearest: false, distance: null, source_id: 'P00009' }),
      prediction({ is_nearest: false, distance: 1.5, source_id: 'P00008' }),
    ]);
    expect(calls[0]?.donors.map((donor) => donor.source_id)).toEqual(['P00008', 'P00009']);
  });

  it('breaks ties by supporters, then by id', () => {
    const calls = groupByTerm([
      prediction({ go_id: 'GO:0000003' }),
      prediction({ go_id: 'GO:0000002' }),
      prediction({ go_id: 'GO:0000004', vote_count: 3 }),
    ]);
    expect(calls.map((call) => call.goId)).toEqual(['GO:0000004', 'GO:0000002', 'GO:0000003']);
  });

  it('loses and doubles no row', () => {
    const rows = fc.uniqueArray(fc.tuple(fc.integer({ max: 6, min: 0 }), fc.integer({ max: 9, min: 0 })), {
      selector: ([term, donor]) => `${term} ${donor}`,
    });
    fc.assert(
      fc.property(rows, (pairs) => {
        const calls = groupByTerm(
          pairs.map(([term, donor]) =>
            prediction({
              go_id: `GO:000000${term}`,
              source_id: `P0000${donor}`,
              is_nearest: false,
            }),
          ),
        );
        const back = calls.flatMap((call) => call.donors.map((donor) => `${call.goId} ${donor.source_id}`));
        expect(back.sort()).toEqual(pairs.map(([term, donor]) => `GO:000000${term} P0000${donor}`).sort());
      }),
    );
  });
});

describe('foldBroader', () => {
  const edge = (source: string, target: string) => ({ source, target, relation_type: 'is_a' });

  it('sees an ancestor through terms that are not predicted', () => {
    const calls = groupByTerm([prediction({ go_id: 'leaf' }), prediction({ go_id: 'root', score: 0.8 })]);
    const folded = foldBroader(calls, [edge('leaf', 'between'), edge('between', 'root')]);
    expect(folded.map(({ goId, isBroader }) => [goId, isBroader])).toEqual([
      ['leaf', false],
      ['root', true],
    ]);
    expect(folded[0]?.broader.map((call) => call.goId)).toEqual(['root']);
  });

  it('puts the more specific of equal scores first', () => {
    const calls = groupByTerm([
      prediction({ go_id: 'general', vote_count: 9 }),
      prediction({ go_id: 'deep' }),
      prediction({ go_id: 'best', score: 0.95 }),
    ]);
    const edges = [edge('deep', 'a'), edge('a', 'b'), edge('general', 'b')];
    expect(foldBroader(calls, edges).map((call) => call.goId)).toEqual(['best', 'deep', 'general']);
  });

  it('agrees with a search from every term, also where the edges go round', () => {
    const node = fc.integer({ min: 0, max: 7 });
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node), { maxLength: 20 }), (pairs) => {
        const calls = groupByTerm([0, 1, 2, 3, 4].map((id) => prediction({ go_id: String(id) })));
        const folded = foldBroader(
          calls,
          pairs.map(([child, parent]) => edge(String(child), String(parent))),
        );
        const reaches = closure(pairs, 8);
        for (const call of folded) {
          const id = Number(call.goId);
          const expected = [0, 1, 2, 3, 4].filter((other) => other !== id && reaches(id, other));
          expect(call.broader.map((other) => Number(other.goId)).sort()).toEqual(expected);
          expect(call.isBroader).toBe([0, 1, 2, 3, 4].some((other) => other !== id && reaches(other, id)));
        }
      }),
    );
  });
});

/** Transitive closure after Warshall, the slow way. */
function closure(
  pairs: readonly (readonly [number, number])[],
  size: number,
): (from: number, to: number) => boolean {
  const paths = new Set(pairs.map(([from, to]) => `${from} ${to}`));
  const reaches = (from: number, to: number): boolean => paths.has(`${from} ${to}`);
  for (let k = 0; k < size; k++)
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) if (reaches(i, k) && reaches(k, j)) paths.add(`${i} ${j}`);
  return reaches;
}
