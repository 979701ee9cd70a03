import { aspects } from '@kindred/contracts';
import { groupedBy } from '@kindred/kernels/arrays';
import { defaultStatistics, logEValue, type SearchSpace } from '@kindred/kernels/homology';
import type { WeightedVotes } from '@kindred/kernels/scoring';
import { noSource } from '../store/predictions/prediction-writer.js';
import type { NeighbourRow, PredictedQueryRow } from '../store/predictions/baselines.repository.js';
import type { KnownTerms } from './own-votes.js';
import type { ReferenceTerms } from './reference-terms.js';
import type { ScoredTerm } from './scored-terms.js';

export type VoteWeights = 'alignment' | 'distance';
export type SearchSpaceOfSet = SearchSpace;

/** An alignment with E-value 100 has weight 0; each power of ten below it adds 1. */
const weightlessLogExpect = 2;

export interface VoteScoring {
  votes: WeightedVotes;
  references: ReferenceTerms;
  space: SearchSpace;
  weights: VoteWeights;
  priorWeight: number;
  minimumScore: number;
}

/**
 * Scores the terms of each query by the votes of its neighbours, aspect by aspect, best first. `neighbours`
 * hold each neighbour once per query and aspect; `own` has the known annotations of queries, by accession.
 */
export function votedTerms(
  queries: readonly PredictedQueryRow[],
  { neighbours, own }: { neighbours: readonly NeighbourRow[]; own: ReadonlyMap<string, KnownTerms> },
  scoring: VoteScoring,
): ScoredTerm[][] {
  const numberOf = new Map(scoring.references.sources.map((source, number) => [source.accession, number]));
  // A reference that has lost its annotations since gives no terms.
  const annotated = neighbours.filter((row) => numberOf.has(row.ref_protein_accession));
  const groups = groupedBy(annotated, (row) => `${row.aspect} ${row.protein_accession}`);
  return queries.map(({ accession }) =>
    aspects
      .flatMap((aspect, number) =>
        votedOn(groups.get(`${aspect} ${accession}`) ?? [], number, {
          numberOf,
          scoring,
          own: own.get(accession),
        }),
      )
      .sort((a, b) => b.score - a.score || a.termRowId - b.termRowId),
  );
}

function votedOn(
  group: readonly NeighbourRow[],
  aspect: number,
  {
    numberOf,
    scoring,
    own,
  }: { numberOf: ReadonlyMap<string, number>; scoring: VoteScoring; own: KnownTerms | undefined },
): ScoredTerm[] {
  const { votes, references, priorWeight, minimumScore } = scoring;
  const reference = Int32Array.from(group, (row) => numberOf.get(row.ref_protein_accession) as number);
  const weight = weightsOf(group, scoring);
  const voted = votes.score({ reference, weight, own: own?.vote }, { aspect, priorWeight, minimumScore });
  return Array.from(voted.term, (term, place): ScoredTerm => {
    const row = group[voted.source[place]] as NeighbourRow | undefined;
    return {
      termRowId: references.termRowId[term],
      score: voted.score[place],
      source: row
        ? {
            kind: 'protein',
            id: row.ref_protein_accession,
            taxonomy_id: references.sources[numberOf.get(row.ref_protein_accession) as number].taxonomy_id,
          }
        : voted.source[place] < 0 || own === undefined
          ? noSource
          : own.source,
      distance: row?.distance ?? null,
      evidenceCode: null,
    };
  });
}

/**
 * Gives the weights of neighbours. An alignment weighs 2 - log10 E, at least 0. A distance weighs as many
 * times as it is closer than the farthest, minus 1.
 */
function weightsOf(group: readonly NeighbourRow[], { weights, space }: VoteScoring): Float64Array {
  if (weights === 'alignment')
    return Float64Array.from(group, ({ alignment_score_sw, length_query }) =>
      alignment_score_sw === null || length_query === null
        ? 0
        : Math.max(
            0,
            weightlessLogExpect - logEValue(alignment_score_sw, length_query, space, defaultStatistics),
          ),
    );
  const farthest = group.reduce((most, row) => Math.max(most, row.distance), 0);
  return Float64Array.from(group, ({ distance }) => farthest / Math.max(distance, smallestDistance) - 1);
}

/** The vectors are float16 and cannot distinguish smaller distances. */
const smallestDistance = 1e-3;
