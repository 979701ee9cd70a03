import { scoringRoutes } from '@kindred/contracts/resources/scoring';
import { previewOf } from '../../../predict/scoring/preview.js';
import { recipeOf, requireSignals } from '../../../predict/scoring/recipe.js';
import { compositeTermPages, scoredPages } from '../../../predict/scoring/scored-pages.js';
import { truthLabels } from '../../../predict/scoring/truth-labels.js';
import { findEvaluationSet } from '../../../store/evaluation/evaluation-sets.repository.js';
import { nearestPages } from '../../../store/predictions/predictions.repository.js';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { findScoringConfig } from '../../../store/evaluation/scoring-configs.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, absentReference } from '../../problems.js';
import { markedFile } from '../../marked-file.js';
import { requireComplete } from '../../references.js';
import { scoreMetrics } from '../../../evaluate/score-metrics.js';
import { serve } from '../../serve.js';
import { sendChunks } from '../../stream.js';
import { scoringConfigRoutes } from './config-routes.js';
import { scoreTable, trainingTable } from './tables.js';

const contentType = 'text/tab-separated-values; charset=utf-8';

export function serveScoring(api: Api, deps: RouteDeps): void {
  scoringConfigRoutes(api, deps);
  previewRoute(api, deps);
  scoreDownload(api, deps);
  trainingDownload(api, deps);
  metricsRoute(api, deps);
}

async function predictionSet({ db }: RouteDeps, id: string) {
  const set = await findPredictionSet(db, id);
  if (set === undefined) throw absent('prediction set', id);
  requireComplete(set);
  return set;
}
async function evaluationSet({ db }: RouteDeps, id: string) {
  const set = await findEvaluationSet(db, id);
  if (set === undefined) throw absentReference('evaluation_set_id', 'evaluation set', id);
  return set;
}

/**
 * Finds a prediction set and the recipe that is to score it.
 * @throws ProblemError not_found, conflict (the set is incomplete, or a flag is missing, which the message
 * names)
 */
async function setAndRecipe(deps: RouteDeps, setId: string, configId: string) {
  const set = await predictionSet(deps, setId);
  const config = await findScoringConfig(deps.db, configId);
  if (config === undefined) throw absentReference('scoring_config_id', 'scoring configuration', configId);
  const recipe = recipeOf(config);
  requireSignals(recipe, config, set);
  return { set, config, recipe };
}

function previewRoute(api: Api, deps: RouteDeps): void {
  serve(api, scoringRoutes.preview, async (request) => {
    const { proteins, terms, ...given } = request.body;
    const set = await predictionSet(deps, request.params.id);
    const recipe = recipeOf(given);
    requireSignals(recipe, null, set);
    return { prediction_set_id: set.id, ...(await previewOf(deps.db, set, recipe, { proteins, terms })) };
  });
}

function scoreDownload(api: Api, deps: RouteDeps): void {
  serve(api, scoringRoutes.score, async (request, reply) => {
    const { id } = request.params;
    const { scoring_config_id: configId, min_score: minScore, accession, aspect } = request.query;
    const { set, recipe } = await setAndRecipe(deps, id, configId);
    const accessions = accession === undefined ? undefined : [accession];
    const pages = scoredPages(deps.db, set, recipe, { aspect, accessions });
    return sendChunks(request, reply, scoreTable(pages, minScore), {
      contentType,
      filename: markedFile(reply, { name: `scored_${id}_${configId}`, extension: 'tsv' }, [set.reference]),
    });
  });
}

function trainingDownload(api: Api, deps: RouteDeps): void {
  serve(api, scoringRoutes.trainingData, async (request, reply) => {
    const { id } = request.params;
    const { evaluation_set_id, category } = request.query;
    const set = await predictionSet(deps, id);
    const { number, new_reference } = await evaluationSet(deps, evaluation_set_id);
    const labels = await truthLabels(deps.db, number, category);
    const pages = nearestPages(deps.db, set.number, { accessions: labels.proteins });
    return sendChunks(request, reply, trainingTable(pages, labels), {
      contentType,
      filename: markedFile(
        reply,
        { name: `training_data_${id}_${category.toLowerCase()}`, extension: 'tsv' },
        [set.reference, new_reference],
      ),
    });
  });
}

function metricsRoute(api: Api, deps: RouteDeps): void {
  serve(api, scoringRoutes.metrics, async (request) => {
    const { scoring_config_id: configId, evaluation_set_id, category } = request.query;
    const holdout = await evaluationSet(deps, evaluation_set_id);
    const { set, config, recipe } = await setAndRecipe(deps, request.params.id, configId);
    const metrics = await scoreMetrics(deps, {
      predictionSetId: set.id,
      evaluationSet: holdout,
      category,
      scores: (accessions) => compositeTermPages(deps.db, set, recipe, { accessions }),
      signal: request.signal,
    });
    return { ...metrics, scoring_config_id: config.id, scoring_config_name: config.name };
  });
}
