import { z } from 'zod';
import { afterQuery, limitQuery } from '../fields.js';
import { type UserId, uuidOf } from '../ids.js';
import { routesOf } from '../route.js';

export const auditActions = [
  'signup',
  'login_ok',
  'login_fail',
  'logout',
  'role_change',
  'user_approve',
  'user_deactivate',
  'user_reactivate',
  'user_delete',
  'api_key_mint',
  'api_key_revoke',
  'admin_session_revoke',
  'password_reset',
  'db_reset',
] as const;
export type AuditAction = (typeof auditActions)[number];

// The '+' of an offset that was not percent-encoded arrives as a space.
const moment = z
  .string()
  .transform((text) => text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
  .pipe(z.iso.datetime({ offset: true, error: 'expected ISO 8601 with a zone: 2026-11-21T10:00:00Z' }));

export const auditListQuery = z.strictObject({
  action: z.enum(auditActions).optional(),
  actor_user_id: uuidOf<UserId>().optional(),
  target: z.string().max(100).optional().meta({ description: 'user:<id> or api_key:<id>' }),
  since: moment.optional().meta({ description: 'From this moment on (ISO 8601)' }),
  until: moment.optional().meta({ description: 'Before this moment (ISO 8601)' }),
  limit: limitQuery(500),
  after: afterQuery,
});
export const auditReply = z.object({
  id: z.int(),
  actor_user_id: z.guid().nullable().meta({ description: 'null: the command line, or nobody known' }),
  action: z.enum(auditActions),
  target: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
  occurred_at: z.string(),
});

export const auditRoutes = routesOf('administration', {
  list: {
    method: 'GET',
    path: '/admin/audit',
    floor: 'admin',
    summary: 'What was done, by whom, newest first',
    query: auditListQuery,
    reply: { 200: z.array(auditReply) },
  },
});
