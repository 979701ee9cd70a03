import { z } from 'zod';
import { afterQuery, limitQuery, visibility } from '../fields.js';
import { type JobId, requestId, uuidOf } from '../ids.js';
import { eventLevels, jobStatuses } from '../vocabulary.js';
import type { OperationRow } from '../operation.js';
import { ownRows, routesOf, visibleRows } from '../route.js';

export const jobParams = z.object({ id: uuidOf<JobId>() });

const jsonObject = z.record(z.string(), z.unknown());
export const jobBody = z.strictObject({
  operation: z.string().trim().min(1).max(100),
  queue_name: z.string().trim().min(1).max(100),
  payload: jsonObject.default({}),
  meta: jsonObject.default({}).meta({ description: 'Stored, never interpreted' }),
  description: z.string().max(10_000).nullish(),
  tags: z.array(z.string().max(200)).max(100).default([]),
});
export const jobListQuery = z.strictObject({
  status: z.string().toUpperCase().pipe(z.enum(jobStatuses)).optional().meta({ description: 'Any case' }),
  operation: z.string().max(100).optional(),
  parent_job_id: uuidOf<JobId>().optional(),
  request_id: requestId.optional(),
  limit: limitQuery(500),
  after: afterQuery,
});
export const timelineQuery = z.strictObject({ limit: limitQuery(2000, 200), after: afterQuery });
export const eventsQuery = timelineQuery
  .extend({
    before: afterQuery.meta({
      description:
        'The same, for what came before it, newest first: the Link header of the newest events leads there',
    }),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    message: 'give after or before, not both',
    path: ['before'],
  });
export const commentBody = z.strictObject({
  body: z.string().trim().min(1, 'must not be empty').max(20_000),
  author: z.string().trim().max(255).nullish(),
});

export const jobReply = z.object({
  id: z.guid(),
  operation: z.string(),
  queue_name: z.string(),
  status: z.enum(jobStatuses),
  parent_job_id: z.guid().nullable(),
  waits_for_job_id: z.guid().nullable(),
  progress_current: z.int(),
  progress_total: z.int().nullable(),
  description: z.string().nullable(),
  findings: z.string().nullable(),
  tags: z.array(z.string()),
  visibility: visibility.meta({
    description: 'That of the query set or prediction set that the job works on; other jobs are listed',
  }),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  attempts: z.int(),
  request_id: requestId.nullable(),
  may_change: z.boolean().meta({ description: 'The caller may cancel and delete it' }),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export const submittedReply = jobReply.extend({ payload: jsonObject, meta: jsonObject });
export const jobDetailReply = submittedReply.extend({
  result: jsonObject.nullable(),
  queue_position: z.int().nullable().meta({ description: '1 is next; null when not queued' }),
  eta_seconds: z
    .number()
    .nullable()
    .meta({ description: 'Until it is probably finished; null where unknown' }),
  may_cancel: z.boolean().meta({ description: 'The caller may cancel it, and it has not ended' }),
});
export const eventReply = z.object({
  id: z.int(),
  job_id: z.guid(),
  ts: z.string(),
  level: z.enum(eventLevels),
  event: z.string(),
  message: z.string().nullable(),
  fields: jsonObject,
});
export const commentReply = z.object({
  id: z.guid(),
  job_id: z.guid(),
  account: z.string().nullable().meta({
    description:
      'User name of the account that wrote it; null for callers without an account, without one that is there still, and before it was kept',
  }),
  author: z.string().nullable().meta({ description: 'The name that the writer gave; nobody checks it' }),
  body: z.string(),
  created_at: z.string(),
});
/** The reply of the routes that queue one operation. */
export const queuedReply = z.object({ id: z.guid(), status: z.literal('QUEUED') });

export const pingPayload = z.strictObject({});

export const jobOperations = [
  {
    name: 'ping',
    queue: 'svc.ping',
    light: true,
    payload: pingPayload,
    description: 'Smoke test: succeeds at once',
  },
] as const satisfies readonly OperationRow[];

export const jobRoutes = routesOf('jobs', {
  submit: {
    method: 'POST',
    path: '/jobs',
    floor: 'researcher',
    refuses: [409, 429],
    summary: 'Queue an operation',
    access: 'Light operations: researcher. All others: operator.',
    rate: 'jobs',
    body: jobBody,
    reply: { 201: submittedReply },
  },
  list: {
    method: 'GET',
    path: '/jobs',
    floor: 'viewer',
    summary: 'List jobs, newest first',
    access: visibleRows,
    query: jobListQuery,
    reply: { 200: z.array(jobReply) },
  },
  show: {
    method: 'GET',
    path: '/jobs/:id',
    floor: 'viewer',
    summary: 'One job with payload, result and queue position',
    params: jobParams,
    reply: { 200: jobDetailReply },
  },
  remove: {
    method: 'DELETE',
    path: '/jobs/:id',
    floor: 'researcher',
    refuses: [409],
    summary: 'Delete a job that is not running',
    access: ownRows,
    params: jobParams,
    reply: { 204: z.null() },
  },
  events: {
    method: 'GET',
    path: '/jobs/:id/events',
    floor: 'viewer',
    refuses: [429],
    summary: 'Timeline of a job, as JSON or as text/event-stream',
    access:
      'JSON is newest first; with `after` it is what came after that event, oldest first, so that a poller goes on from the newest it has seen. The Link header leads on in the same direction.',
    params: jobParams,
    query: eventsQuery,
    reply: {
      200: {
        description:
          'As JSON newest first, also with `before`, or oldest first with `after`; as an event stream oldest first, with `id` for Last-Event-ID',
        content: {
          'application/json': { schema: z.array(eventReply) },
          'text/event-stream': { schema: z.string() },
        },
      },
      204: z.null().meta({
        description: 'Nothing comes after Last-Event-ID: the job has ended',
      }) as unknown as z.ZodType<never>,
    },
  },
  cancel: {
    method: 'POST',
    path: '/jobs/:id/cancel',
    floor: 'researcher',
    refuses: [409],
    summary: 'Cancel a queued or running job',
    access: ownRows,
    params: jobParams,
    reply: { 200: jobReply },
  },
  comment: {
    method: 'POST',
    path: '/jobs/:id/comments',
    floor: 'researcher',
    summary: 'Comment on a job',
    params: jobParams,
    body: commentBody,
    reply: { 201: commentReply },
  },
  comments: {
    method: 'GET',
    path: '/jobs/:id/comments',
    floor: 'viewer',
    summary: 'Comments of a job, oldest first',
    params: jobParams,
    query: timelineQuery,
    reply: { 200: z.array(commentReply) },
  },
});
