import { auditListQuery, auditReply } from '@kindred/contracts/resources/audit';
import { z } from 'zod';
import { listAudit } from '../../../store/accounts/audit.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { presentAudit } from './present.js';

export function auditRoutes(api: Api, { db }: RouteDeps): void {
  api.get(
    '/admin/audit',
    { schema: { querystring: auditListQuery, response: { 200: z.array(auditReply) } } },
    async (request, reply) => {
      const { action, actor_user_id, target, since, until, limit, after } = request.query;
      const filter = { action, actorUserId: actor_user_id, target, since, untilExclusive: until };
      const rows = await listAudit(db, { ...filter, limit, after: readAfter(after, 'number') });
      linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.occurred_at, id: row.id })) });
      return rows.map(presentAudit);
    },
  );
}
