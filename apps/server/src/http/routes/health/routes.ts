import { ProblemError } from '@kindred/contracts';
import { noQuery } from '@kindred/contracts/fields';
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { pingDatabase } from '../../../store/postgres/db.js';
import type { Api, HttpDeps } from '../../deps.js';
import { refusalReplies } from '../../plugins/gate.js';

const healthReply = z.object({ status: z.literal('ok') });
const readyReply = z.object({ status: z.literal('ready') });

/** At the root only. */
export function healthRoutes(api: Api, { db, broker }: HttpDeps): void {
  api.get('/health', { schema: describe('Health', 'The process is up', { 200: healthReply }) }, async () => ({
    status: 'ok' as const,
  }));
  const ready = { 200: readyReply, ...refusalReplies([503]) };
  api.get(
    '/health/ready',
    { schema: describe('HealthReady', 'Database and message broker can be reached', ready) },
    async (request) => {
      const database = pingDatabase(db).catch((error) => {
        request.log.warn({ err: error }, 'database not ready');
        throw notReady('The database cannot be reached.');
      });
      const queues = broker.check().catch((error) => {
        request.log.warn({ err: error }, 'broker not ready');
        throw notReady('The message broker cannot be reached.');
      });
      await Promise.all([database, queues]);
      return { status: 'ready' as const };
    },
  );
}

function describe(name: string, summary: string, response: object): FastifySchema {
  return {
    tags: ['health'],
    operationId: `get${name}`,
    summary,
    description: 'Open to anonymous callers. At the root only.',
    security: [],
    querystring: noQuery,
    response: { ...response, ...refusalReplies([400, 422, 500]) },
  } as FastifySchema;
}

function notReady(detail: string): ProblemError {
  return new ProblemError('service_unavailable', detail, { headers: { 'retry-after': '5' } });
}
