import type { BenchmarkResultRow } from '../../store/evaluation/benchmark.repository.js';
import type { BenchmarkSettings } from './settings.js';

/** Evaluations that used a re-ranker belong to this stage, whatever recipe came before. */
export const rerankerStage = 'reranker';

export type StageKind = 'scoring_config' | 'reranker' | 'method';

/**
 * The stage of a result is its re-ranker, else its recipe, else the way its predictions were made and scored.
 */
export function stageOf(
  row: Pick<BenchmarkResultRow, 'reranked' | 'scoring_config_name' | 'method' | 'vote_weights'>,
): {
  name: string;
  kind: StageKind;
} {
  if (row.reranked) return { name: rerankerStage, kind: 'reranker' };
  if (row.scoring_config_name !== null) return { name: row.scoring_config_name, kind: 'scoring_config' };
  return { name: methodStage(row), kind: 'method' };
}

/** Gives the stage of predictions that kept the scores of their method. */
function methodStage({ method, vote_weights }: Pick<BenchmarkResultRow, 'method' | 'vote_weights'>): string {
  if (method === 'knn') return 'nearest_neighbours';
  return method === 'weighted_votes' && vote_weights !== null ? `votes_by_${vote_weights}` : method;
}

/** Makes `Nearest neighbours` from `nearest_neighbours`, unless the settings have other words. */
export function stageLabel(name: string, { stageLabels }: BenchmarkSettings): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return stageLabels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
