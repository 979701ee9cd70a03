import { type Dependents, dependentRoutes } from '@kindred/contracts/resources/dependents';
import type { FastifyRequest } from 'fastify';
import { refuseRemoval } from '../../../accounts/administration.js';
import { requireOwner } from '../../../accounts/principal.js';
import { refuseRunning } from '../../../work/jobs/cancel.js';
import { requireJob } from '../../../work/jobs/queries.js';
import { refuseBuilding, requireReference } from '../../../resources/references.js';
import { findLoadingOrComplete, refuseLoading } from '../../../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../../../store/embeddings/embedding-configs.repository.js';
import { findEvaluationResult } from '../../../store/evaluation/evaluation-results.repository.js';
import { findEvaluationSet } from '../../../store/evaluation/evaluation-sets.repository.js';
import { findReranker } from '../../../store/evaluation/rerankers.repository.js';
import { findScoringConfig } from '../../../store/evaluation/scoring-configs.repository.js';
import { type Doomed, dependentsOf } from '../../../store/maintenance/dependents.repository.js';
import { findSlim } from '../../../store/ontology/slims.repository.js';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { findQuerySet } from '../../../store/proteins/query-sets.repository.js';
import { findDataset } from '../../../store/records/datasets.repository.js';
import { findExperimentRun } from '../../../store/records/experiment-runs.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';

/** Serves the dependents of rows. Each route finds the row as the DELETE route does, and has the same refusals. */
export function serveDependents(api: Api, deps: RouteDeps): void {
  const answer = (request: FastifyRequest, doomed: Doomed): Promise<Dependents> =>
    dependentsOf(deps.db, doomed, readerOf(request));
  ofCatalogue(api, deps, answer);
  ofLaboratory(api, deps, answer);
  ofPeople(api, deps, answer);
}

type Answer = (request: FastifyRequest, doomed: Doomed) => Promise<Dependents>;

function ofCatalogue(api: Api, { db }: RouteDeps, answer: Answer): void {
  serve(api, dependentRoutes.annotation_set, async (request) => {
    const { id } = request.params;
    refuseLoading(required(await findLoadingOrComplete(db, id), 'annotation set', id));
    return answer(request, { table: 'annotation_set', id });
  });
  serve(api, dependentRoutes.embedding_config, async (request) => {
    const { id } = request.params;
    if ((await findEmbeddingConfig(db, id)) === undefined) throw absent('embedding configuration', id);
    return answer(request, { table: 'embedding_config', id });
  });
  serve(api, dependentRoutes.go_slim, async (request) => {
    const { id } = request.params;
    required(await findSlim(db, id), 'GO slim', id);
    return answer(request, { table: 'go_slim', id });
  });
  serve(api, dependentRoutes.reference, async (request) => {
    const reference = await requireReference(db, request.params.reference);
    refuseBuilding(reference);
    const withDependents = request.query.dependents;
    return answer(request, { table: 'reference', id: reference.id, withDependents });
  });
}

function ofLaboratory(api: Api, { db }: RouteDeps, answer: Answer): void {
  serve(api, dependentRoutes.evaluation_set, async (request) => {
    const { id } = request.params;
    required(await findEvaluationSet(db, id), 'evaluation set', id);
    return answer(request, { table: 'evaluation_set', id });
  });
  serve(api, dependentRoutes.evaluation_result, async (request) => {
    const { id, rid } = request.params;
    const result = await findEvaluationResult(db, rid);
    if (result?.evaluation_set_id !== id) throw absent(`result in evaluation set ${id}:`, rid);
    return answer(request, { table: 'evaluation_result', id: rid });
  });
  serve(api, dependentRoutes.scoring_config, async (request) => {
    const { id } = request.params;
    required(await findScoringConfig(db, id), 'scoring configuration', id);
    return answer(request, { table: 'scoring_config', id });
  });
  serve(api, dependentRoutes.reranker_model, async (request) => {
    const { id } = request.params;
    required(await findReranker(db, id), 're-ranker', id);
    return answer(request, { table: 'reranker_model', id });
  });
  serve(api, dependentRoutes.dataset, async (request) => {
    const choice = request.params.id_or_name;
    const { id } = required(await findDataset(db, choice), 'dataset', choice);
    return answer(request, { table: 'dataset', id });
  });
}

function ofPeople(api: Api, { db }: RouteDeps, answer: Answer): void {
  serve(api, dependentRoutes.experiment_run, async (request) => {
    const { run_id: id } = request.params;
    const run = required(await findExperimentRun(db, id), 'experiment run', id);
    requireOwner(request.principal, run.owner_user_id);
    return answer(request, { table: 'experiment_run', id });
  });
  serve(api, dependentRoutes.job, async (request) => {
    const { id } = request.params;
    const job = await requireJob(db, id);
    requireOwner(request.principal, job.owner_user_id);
    refuseRunning(job);
    return answer(request, { table: 'job', id });
  });
  serve(api, dependentRoutes.prediction_set, async (request) => {
    const { id } = request.params;
    const set = required(await findPredictionSet(db, id), 'prediction set', id);
    requireOwner(request.principal, set.owner_user_id);
    return answer(request, { table: 'prediction_set', id });
  });
  serve(api, dependentRoutes.query_set, async (request) => {
    const { id } = request.params;
    const set = required(await findQuerySet(db, id), 'query set', id);
    requireOwner(request.principal, set.owner_user_id);
    return answer(request, { table: 'query_set', id });
  });
  serve(api, dependentRoutes.user_account, async (request) => {
    const { id } = request.params;
    await refuseRemoval(db, { actorId: request.principal.user?.id ?? null, userId: id });
    return answer(request, { table: 'user_account', id });
  });
}

/** @throws ProblemError not_found */
function required<Row>(row: Row | undefined, what: string, id: string): Row {
  if (row === undefined) throw absent(what, id);
  return row;
}
