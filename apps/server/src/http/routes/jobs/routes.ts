import { jobRoutes, type submittedReply } from '@kindred/contracts/resources/jobs';
import { z } from 'zod';
import { isClaimed } from '../../../store/accounts/idempotency.repository.js';
import { requireOwner } from '../../../accounts/principal.js';
import { submitCounted } from '../../../work/jobs/answered-work.js';
import { cancelJob, deleteJob } from '../../../work/jobs/cancel.js';
import { addJobComment, jobComments, queueFeedback, requireJob } from '../../../work/jobs/queries.js';
import { listJobs } from '../../../store/jobs/jobs.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { requirePossible } from '../../possible.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { callerOf, checkOperation } from '../../submit.js';
import { eventRoutes } from './event-routes.js';
import { presentComment, presentJob, presentJobDetail, presentSubmitted } from './present.js';

export function serveJobs(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  submitRoute(api, deps);
  eventRoutes(api, deps);
  commentRoutes(api, deps);
  serve(api, jobRoutes.list, async (request, reply) => {
    const { status, operation, parent_job_id, request_id, limit, after } = request.query;
    const filter = {
      reader: readerOf(request),
      status,
      operation,
      parentJobId: parent_job_id,
      requestId: request_id,
    };
    const page = await listJobs(db, filter, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map((row) => presentJob(row, request.principal));
  });
  serve(api, jobRoutes.show, async (request) => {
    const job = await requireJob(db, request.params.id);
    return presentJobDetail(job, await queueFeedback(db, job), request.principal);
  });
  serve(api, jobRoutes.cancel, async (request) => {
    requireOwner(request.principal, (await requireJob(db, request.params.id)).owner_user_id);
    return presentJob(await cancelJob(db, request.params.id), request.principal);
  });
  serve(api, jobRoutes.remove, async (request, reply) => {
    requireOwner(request.principal, (await requireJob(db, request.params.id)).owner_user_id);
    await deleteJob(db, request.params.id);
    return reply.code(204).send(null);
  });
}

function submitRoute(api: Api, deps: RouteDeps): void {
  serve(api, jobRoutes.submit, async (request, reply) => {
    const body = { ...request.body, payload: checkOperation(request, request.body) };
    await requireReferences(deps.db, body.payload, '/payload');
    const caller = await callerOf(deps, request, JSON.stringify(body));
    if (!(await isClaimed(deps.db, caller.claim))) await requirePossible(deps, body, '/payload');
    const { queue_name: queueName, ...job } = body;
    const answer = await submitCounted(deps, caller, { ...job, queueName }, (row) => ({
      status: 201,
      headers: { location: `/v1/jobs/${row.id}` },
      body: presentSubmitted(row, request.principal),
    }));
    return reply
      .code(201)
      .headers(answer.headers)
      .send(answer.body as z.infer<typeof submittedReply>);
  });
}

function commentRoutes(api: Api, { db }: RouteDeps): void {
  serve(api, jobRoutes.comment, async (request, reply) => {
    const accountId = request.principal.user?.id ?? null;
    const comment = await addJobComment(db, request.params.id, { ...request.body, accountId });
    reply.code(201).header('location', `/v1/jobs/${request.params.id}/comments`);
    return presentComment(comment, request.principal);
  });
  serve(api, jobRoutes.comments, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await jobComments(db, request.params.id, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map((row) => presentComment(row, request.principal));
  });
}
