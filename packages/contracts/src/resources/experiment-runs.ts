import { z } from 'zod';
import { afterQuery, limitQuery, newVisibility, visibility } from '../fields.js';
import {
  type EvaluationResultId,
  type ExperimentRunId,
  type JobId,
  type RerankerModelId,
  uuidOf,
} from '../ids.js';
import { ownRows, routesOf, visibleRows } from '../route.js';

/** The maximum number of members of one kind that a run can have. */
export const maxMembers = 1000;
export const memberKinds = ['job', 'evaluation_result', 'reranker_model'] as const;
export type MemberKind = (typeof memberKinds)[number];

export const runStatuses = ['planned', 'running', 'done', 'abandoned'] as const;
export type RunStatus = (typeof runStatuses)[number];
/** The statuses that a run may change to, by its present status. A run may always keep its status. */
export const runTransitions: Record<RunStatus, readonly RunStatus[]> = {
  planned: ['running', 'abandoned'],
  running: ['done', 'abandoned'],
  done: [],
  abandoned: [],
};
const status = z.enum(runStatuses);
const narrative = z.string().max(20_000).nullish();
/** JSON objects have no limit of depth or length of their own, because a configuration may need any; the body as a whole is bounded. */
const jsonObject = z.record(z.string().max(200), z.unknown());
const tags = z.array(z.string().trim().min(1).max(200)).max(100);

export const runParams = z.object({ run_id: uuidOf<ExperimentRunId>() });
export const memberParams = runParams.extend({ member_id: z.guid().toLowerCase() });
export const runListQuery = z.strictObject({
  status: z.string().toLowerCase().pipe(status).optional(),
  limit: limitQuery(500),
  after: afterQuery,
});

export const runBody = z.strictObject({
  name: z.string().trim().min(1).max(255),
  description: narrative,
  hypothesis: narrative,
  findings: narrative,
  status: status.default('planned'),
  config: jsonObject.default({}),
  provenance: jsonObject.default({}),
  tags: tags.default([]),
  visibility: newVisibility,
});
/** The changes of a run: given fields are changed; null empties a text. */
export const runChanges = z
  .strictObject({
    description: narrative,
    hypothesis: narrative,
    findings: narrative,
    status: status.optional(),
    config: jsonObject.optional(),
    provenance: jsonObject.optional(),
    tags: tags.optional(),
    visibility: newVisibility,
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), 'nothing to change');

const ids = <Id extends z.ZodType>(id: Id) => z.array(id).max(maxMembers).default([]);
export const membersBody = z
  .strictObject({
    job_ids: ids(uuidOf<JobId>()),
    evaluation_result_ids: ids(uuidOf<EvaluationResultId>()),
    reranker_model_ids: ids(uuidOf<RerankerModelId>()),
  })
  .refine((body) => Object.values(body).some((list) => list.length > 0), 'name at least one row');

export const runReply = z.object({
  id: z.guid(),
  name: z.string(),
  description: z.string().nullable(),
  hypothesis: z.string().nullable(),
  findings: z.string().nullable(),
  status,
  config: z.record(z.string(), z.unknown()),
  provenance: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  visibility,
  may_change: z.boolean().meta({ description: 'The caller may write it down and delete it' }),
  created_at: z.string(),
  updated_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export const runDetailReply = runReply.extend({
  jobs: z.array(
    z.object({
      id: z.guid(),
      operation: z.string(),
      status: z.string(),
      created_at: z.string(),
      finished_at: z.string().nullable(),
    }),
  ),
  evaluation_results: z.array(
    z.object({
      id: z.guid(),
      evaluation_set_id: z.guid(),
      prediction_set_id: z.guid(),
      results: z.unknown().meta({ description: 'category -> aspect -> figures' }),
      created_at: z.string(),
    }),
  ),
  reranker_models: z.array(
    z.object({
      id: z.guid(),
      name: z.string(),
      artifact_uri: z.string().nullable(),
      metrics: z.unknown(),
      created_at: z.string(),
    }),
  ),
});

export const experimentRunRoutes = routesOf('experiment runs', {
  create: {
    method: 'POST',
    path: '/experiment-runs',
    floor: 'researcher',
    refuses: [409],
    summary: 'Record an experiment run',
    body: runBody,
    reply: { 201: runReply },
  },
  list: {
    method: 'GET',
    path: '/experiment-runs',
    floor: 'viewer',
    summary: 'List experiment runs, newest first',
    access: visibleRows,
    query: runListQuery,
    reply: { 200: z.array(runReply) },
  },
  show: {
    method: 'GET',
    path: '/experiment-runs/:run_id',
    floor: 'viewer',
    summary: 'One run with its jobs, results and re-rankers',
    params: runParams,
    reply: { 200: runDetailReply },
  },
  change: {
    method: 'PATCH',
    path: '/experiment-runs/:run_id',
    floor: 'researcher',
    refuses: [409],
    summary: 'Change a run; its status sets the timestamps',
    access: ownRows,
    params: runParams,
    body: runChanges,
    reply: { 200: runReply },
  },
  remove: {
    method: 'DELETE',
    path: '/experiment-runs/:run_id',
    floor: 'researcher',
    summary: 'Delete a run',
    access: ownRows,
    params: runParams,
    reply: { 204: z.null() },
  },
  addMembers: {
    method: 'POST',
    path: '/experiment-runs/:run_id/members',
    floor: 'researcher',
    refuses: [409],
    summary: 'Attach jobs, evaluation results and re-rankers',
    access: ownRows,
    params: runParams,
    body: membersBody,
    reply: { 200: runDetailReply },
  },
  removeMember: {
    method: 'DELETE',
    path: '/experiment-runs/:run_id/members/:member_id',
    floor: 'researcher',
    summary: 'Remove a job, a result or a re-ranker from the run',
    access: ownRows,
    params: memberParams,
    reply: { 204: z.null() },
  },
  mlflow: {
    method: 'GET',
    path: '/experiment-runs/:run_id/mlflow.zip',
    floor: 'viewer',
    summary: "The run in MLflow's folder layout",
    params: runParams,
    reply: { 200: { description: 'Zip', content: { 'application/zip': { schema: z.string() } } } },
  },
});
