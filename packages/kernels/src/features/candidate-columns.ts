import type { Candidates } from '../scoring/index.js';
import type { ColumnArrays } from '../prediction/index.js';

/** Gives the columns of the candidates by name, with one value for each candidate. */
export function candidateColumns(
  candidates: Candidates,
): ColumnArrays<'vote_count' | 'k_position' | 'neighbor_distance_std' | 'neighbor_vote_fraction'> {
  return {
    vote_count: candidates.voteCount,
    k_position: candidates.kPosition,
    neighbor_distance_std: Float32Array.from(candidates.distanceStd),
    neighbor_vote_fraction: Float32Array.from(candidates.voteFraction),
  };
}
