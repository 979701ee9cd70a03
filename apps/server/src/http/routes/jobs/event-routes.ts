import { Readable } from 'node:stream';
import { finalStatuses, type JobStatus } from '@kindred/contracts';
import { jobRoutes } from '@kindred/contracts/resources/jobs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jobEvents, requireJob } from '../../../work/jobs/queries.js';
import { followJobEvents } from '../../../store/jobs/jobs.repository.js';
import { asksFor } from '../../accept.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { fieldProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { principalKey } from '../../submit.js';
import { eventStream } from './event-stream.js';
import { presentEvent } from './present.js';

const streamType = 'text/event-stream';

export function eventRoutes(api: Api, deps: RouteDeps): void {
  const closing = new AbortController();
  api.addHook('preClose', async () => closing.abort());
  serve(api, jobRoutes.events, async (request, reply) => {
    const { id } = request.params;
    reply.header('vary', 'Accept');
    if (asksFor(request.headers.accept, streamType))
      return follow(deps, request, reply, { id, signal: closing.signal });
    const { limit, after, before } = request.query;
    const place = { after: readAfter(after, 'number'), before: readAfter(before, 'number') };
    const page = await jobEvents(deps.db, id, limit, place);
    linkNext(request, reply, { limit, page, time: 'ts', by: after === undefined ? 'before' : 'after' });
    return page.rows.map(presentEvent);
  });
}

async function follow(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<FastifyReply> {
  const { db } = deps;
  const resume = request.headers['last-event-id'];
  const afterId = lastEventId(resume);
  const job = await requireJob(db, id);
  const ended = finalStatuses.includes(job.status as JobStatus);
  // The status 204 tells an EventSource to stop asking.
  if (resume !== undefined && ended && (await followJobEvents(db, id, afterId, 1)).length === 0) {
    return reply.code(204).send();
  }
  const close = deps.streams.open(await principalKey(deps, request));
  const gone = new AbortController();
  reply.raw.once('close', () => {
    close();
    gone.abort();
  });
  const reader = {
    principal: request.principal,
    afterId,
    signal: AbortSignal.any([signal, gone.signal]),
    said: () => deps.replies.said(),
  };
  const body = Readable.from(eventStream(db, job, reader));
  return reply
    .type(streamType)
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(body);
}

function lastEventId(header: string | string[] | undefined): number {
  if (header === undefined) return 0;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  throw fieldProblem('/Last-Event-ID', 'expected the id of an event of this job');
}
