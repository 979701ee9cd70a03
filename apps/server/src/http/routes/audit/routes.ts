import { auditRoutes } from '@kindred/contracts/resources/audit';
import { auditLines } from '../../../resources/audit-export.js';
import { auditNames, listAudit } from '../../../store/accounts/audit.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { sendChunks } from '../../stream.js';
import { presentAudit } from './present.js';

export function serveAudit(api: Api, { db, artifacts }: RouteDeps): void {
  serve(api, auditRoutes.list, async (request, reply) => {
    const { action, actor_user_id, target, q, since, until, limit, after } = request.query;
    const filter = { action, actorUserId: actor_user_id, target, search: q, since, untilExclusive: until };
    const page = await listAudit(db, { ...filter, limit, after: readAfter(after, 'number') });
    linkNext(request, reply, { limit, page, time: 'occurred_at' });
    const names = await auditNames(db, page.rows);
    return page.rows.map((row) => presentAudit(row, names));
  });
  serve(api, auditRoutes.export, (request, reply) => {
    const { since = null, until = null } = request.query;
    const lines = auditLines(db, artifacts, { since, untilExclusive: until });
    return sendChunks(request, reply, lines, {
      contentType: 'application/x-ndjson; charset=utf-8',
      filename: 'kindred-audit.jsonl',
    });
  });
}
