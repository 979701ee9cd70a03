import { auditRoutes } from '@kindred/contracts/resources/audit';
import { listAudit } from '../../../store/accounts/audit.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { presentAudit } from './present.js';

export function serveAudit(api: Api, { db }: RouteDeps): void {
  serve(api, auditRoutes.list, async (request, reply) => {
    const { action, actor_user_id, target, since, until, limit, after } = request.query;
    const filter = { action, actorUserId: actor_user_id, target, since, untilExclusive: until };
    const page = await listAudit(db, { ...filter, limit, after: readAfter(after, 'number') });
    linkNext(request, reply, { limit, page, time: 'occurred_at' });
    return page.rows.map(presentAudit);
  });
}
