import { ProblemError } from '@kindred/contracts';
import { noQuery } from '@kindred/contracts/fields';
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Api, HttpDeps } from '../../deps.js';
import { refusalReplies } from '../../plugins/gate.js';
import { Readiness } from './readiness.js';

const healthReply = z.object({ status: z.literal('ok') });
const readyReply = z.object({ status: z.literal('ready') });

/** Serves health at the root only. */
export function healthRoutes(api: Api, deps: HttpDeps): void {
  const readiness = new Readiness(deps);
  api.get('/health', { schema: describe('Health', 'The process is up', { 200: healthReply }) }, async () => ({
    status: 'ok' as const,
  }));
  const ready = { 200: readyReply, ...refusalReplies([503]) };
  api.get(
    '/health/ready',
    {
      schema: describe(
        'HealthReady',
        'The process takes requests: the database has its schema, the broker takes messages, and nobody stops it',
        ready,
      ),
    },
    async () => {
      const fault = await readiness.fault();
      if (fault === null) return { status: 'ready' as const };
      throw new ProblemError('service_unavailable', fault, { headers: { 'retry-after': '5' } });
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
    response: { ...response, ...refusalReplies([400, 422, 431, 500]) },
  } as FastifySchema;
}
