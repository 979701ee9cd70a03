import { deadLetterQueue, ProblemError, queueNames } from '@kindred/contracts';
import { noBody, noQuery } from '@kindred/contracts/fields';
import {
  deadLetterQuery,
  deadLetterReply,
  purgedReply,
  replayBody,
  replayedReply,
  workersReply,
} from '@kindred/contracts/resources/workers';
import { z } from 'zod';
import { listWorkerProcesses } from '../../../store/jobs/worker-processes.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { presentDeadLetter, presentWorker } from './present.js';

export function operationsRoutes(api: Api, deps: RouteDeps): void {
  const { db, broker, metrics } = deps;
  api.get(
    '/workers/status',
    { schema: { querystring: noQuery, response: { 200: workersReply } } },
    async () => {
      const depths = await Promise.all(
        queueNames.map(async (name) => ({ name, depth: await broker.depth(name) })),
      );
      return {
        broker: broker.kind,
        workers: (await listWorkerProcesses(db)).map(presentWorker),
        queues: depths,
        dead_letters: await broker.depth(deadLetterQueue),
      };
    },
  );
  api.get(
    '/admin/dlq',
    { schema: { querystring: deadLetterQuery, response: { 200: z.array(deadLetterReply) } } },
    async (request) => (await broker.deadLetters(request.query.limit)).map(presentDeadLetter),
  );
  api.post(
    '/admin/dlq/replay',
    { schema: { body: replayBody, querystring: noQuery, response: { 200: replayedReply } } },
    async (request) => ({ replayed: await broker.replayDeadLetters(request.body.max_messages) }),
  );
  api.post(
    '/admin/dlq/purge',
    { schema: { body: noBody, querystring: noQuery, response: { 200: purgedReply } } },
    async () => ({ purged: await broker.purgeDeadLetters() }),
  );
  api.get(
    '/metrics',
    {
      schema: {
        querystring: noQuery,
        response: {
          200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
        },
      },
    },
    async (_request, reply) => {
      if (metrics === null)
        throw new ProblemError('service_unavailable', 'Metrics are not available in this process.');
      return reply.type(metrics.contentType).send(await metrics.metrics());
    },
  );
}
