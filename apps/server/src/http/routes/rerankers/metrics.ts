import { rerankerRoutes } from '@kindred/contracts/resources/rerankers';
import { rerankedTermPages } from '../../../predict/rerankers/reranked-terms.js';
import { findEvaluationSet } from '../../../store/evaluation/evaluation-sets.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absentReference } from '../../problems.js';
import { scoreMetrics } from '../../../evaluate/score-metrics.js';
import { serve } from '../../serve.js';
import { setAndBooster } from './rerank.js';

/** Serves Fmax and AUC-PR of re-ranker scores, per aspect. */
export function rerankerMetrics(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  serve(api, rerankerRoutes.metrics, async (request) => {
    const { reranker_id, evaluation_set_id, category, num_iteration: iterations } = request.query;
    const evaluationSet = await findEvaluationSet(db, evaluation_set_id);
    if (evaluationSet === undefined)
      throw absentReference('evaluation_set_id', 'evaluation set', evaluation_set_id);
    const { set, row, booster } = await setAndBooster(deps, request.params.id, reranker_id);
    const metrics = await scoreMetrics(deps, {
      predictionSetId: set.id,
      evaluationSet,
      category,
      scores: (accessions) =>
        rerankedTermPages(db, booster, { setNumber: set.number, accessions, iterations }),
      signal: request.signal,
    });
    return { ...metrics, reranker_id: row.id, reranker_name: row.name };
  });
}
