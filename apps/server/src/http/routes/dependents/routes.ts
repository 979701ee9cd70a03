import {
  type DeletableTable,
  dependentRoutes,
  removalRoutes,
  rowParameter,
} from '@kindred/contracts/resources/dependents';
import { z } from 'zod';
import { refuseRemoval } from '../../../accounts/administration.js';
import { type Principal, requireOwner } from '../../../accounts/principal.js';
import { refuseRunning } from '../../../work/jobs/cancel.js';
import { requireJob } from '../../../work/jobs/queries.js';
import { refuseBuilding, requireReference } from '../../../resources/references.js';
import { findLoadingOrComplete, refuseLoading } from '../../../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../../../store/embeddings/embedding-configs.repository.js';
import { findEvaluationResult } from '../../../store/evaluation/evaluation-results.repository.js';
import { findEvaluationSet } from '../../../store/evaluation/evaluation-sets.repository.js';
import { findReranker } from '../../../store/evaluation/rerankers.repository.js';
import { findScoringConfig } from '../../../store/evaluation/scoring-configs.repository.js';
import { dependentsOf } from '../../../store/maintenance/dependents.repository.js';
import { findSlim } from '../../../store/ontology/slims.repository.js';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { findQuerySet } from '../../../store/proteins/query-sets.repository.js';
import { findDataset } from '../../../store/records/datasets.repository.js';
import { findExperimentRun } from '../../../store/records/experiment-runs.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf, requireRole } from '../../plugins/credentials.js';
import type { Database } from '../../../store/postgres/db.js';
import { absent, fieldProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { parseOrRefuse } from '../../validation.js';

/** Finds a row as its DELETE route does, refuses the same callers and rows, and gives the id of the row. */
type Find = (db: Database, id: string, principal: Principal) => Promise<string>;

const finders: Record<DeletableTable, Find> = {
  annotation_set: async (db, id) => {
    refuseLoading(required(await findLoadingOrComplete(db, id), 'annotation set', id));
    return id;
  },
  dataset: async (db, choice) => required(await findDataset(db, choice), 'dataset', choice).id,
  embedding_config: async (db, id) =>
    required(await findEmbeddingConfig(db, id), 'embedding configuration', id).id,
  evaluation_result: async (db, id) =>
    required(await findEvaluationResult(db, id), 'evaluation result', id).id,
  evaluation_set: async (db, id) => required(await findEvaluationSet(db, id), 'evaluation set', id).id,
  experiment_run: async (db, id, principal) =>
    owned(principal, await findExperimentRun(db, id), 'experiment run', id),
  go_slim: async (db, id) => required(await findSlim(db, id), 'GO slim', id).id,
  job: async (db, id, principal) => {
    const job = await requireJob(db, id);
    requireOwner(principal, job.owner_user_id);
    refuseRunning(job);
    return id;
  },
  prediction_set: async (db, id, principal) =>
    owned(principal, await findPredictionSet(db, id), 'prediction set', id),
  query_set: async (db, id, principal) => owned(principal, await findQuerySet(db, id), 'query set', id),
  reference: async (db, choice) => {
    const reference = await requireReference(db, choice);
    refuseBuilding(reference);
    return reference.id;
  },
  reranker_model: async (db, id) => required(await findReranker(db, id), 're-ranker', id).id,
  scoring_config: async (db, id) => required(await findScoringConfig(db, id), 'scoring configuration', id).id,
  user_account: async (db, id, principal) => {
    await refuseRemoval(db, { actorId: principal.user?.id ?? null, userId: id });
    return id;
  },
};

export function serveDependents(api: Api, { db }: RouteDeps): void {
  serve(api, dependentRoutes.list, async (request) => {
    const { kind } = request.params;
    const withDependents = request.query.dependents;
    requireRole(request.principal, removalRoutes[kind].floor);
    if (withDependents && kind !== 'reference')
      throw fieldProblem('/dependents', 'only the deletion of a reference takes it');
    const { id } = parseOrRefuse(z.object({ id: rowParameter(kind).schema }), { id: request.params.id });
    const doomed = { table: kind, id: await finders[kind](db, id, request.principal), withDependents };
    return dependentsOf(db, doomed, readerOf(request));
  });
}

/** @throws ProblemError not_found, not_owner */
function owned(
  principal: Principal,
  row: { id: string; owner_user_id: string | null } | undefined,
  what: string,
  id: string,
): string {
  requireOwner(principal, required(row, what, id).owner_user_id);
  return id;
}

/** @throws ProblemError not_found */
function required<Row>(row: Row | undefined, what: string, id: string): Row {
  if (row === undefined) throw absent(what, id);
  return row;
}
