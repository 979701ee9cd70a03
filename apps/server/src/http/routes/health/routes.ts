import { ProblemError } from '@kindred/contracts';
import { noQuery } from '@kindred/contracts/fields';
import { z } from 'zod';
import { pingDatabase } from '../../../store/postgres/db.js';
import type { Api, HttpDeps } from '../../deps.js';

const healthReply = z.object({ status: z.literal('ok') });
const readyReply = z.object({ status: z.literal('ready') });

/** At the root only. */
export function healthRoutes(api: Api, { db, broker }: HttpDeps): void {
  api.get(
    '/health',
    { schema: { hide: true, querystring: noQuery, response: { 200: healthReply } } },
    async () => ({
      status: 'ok' as const,
    }),
  );
  api.get(
    '/health/ready',
    { schema: { hide: true, querystring: noQuery, response: { 200: readyReply } } },
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

function notReady(detail: string): ProblemError {
  return new ProblemError('service_unavailable', detail, { headers: { 'retry-after': '5' } });
}
