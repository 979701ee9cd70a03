import { z } from 'zod';
import { afterQuery, limitQuery } from '../fields.js';
import { type UserId, uuidOf } from '../ids.js';
import { routesOf } from '../route.js';
import { auditActions } from '../audit-actions.js';

// The '+' of an offset that was not percent-encoded arrives as a space.
const moment = z
  .string()
  .transform((text) => text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
  .pipe(z.iso.datetime({ offset: true, error: 'expected ISO 8601 with a zone: 2026-11-21T10:00:00Z' }));

const since = moment.optional().meta({ description: 'From this moment on (ISO 8601)' });
const until = moment.optional().meta({ description: 'Before this moment (ISO 8601)' });

export const auditExportQuery = z.strictObject({ since, until });
export const auditListQuery = z.strictObject({
  action: z.enum(auditActions).optional(),
  actor_user_id: uuidOf<UserId>().optional(),
  target: z.string().max(100).optional().meta({ description: 'user:<id>, api_key:<id> or webhook:<id>' }),
  q: z.string().trim().min(1).max(100).optional().meta({
    description:
      'Acts by or on an account whose e-mail, user name or name has this text, or on a key or webhook whose name, prefix or host has it',
  }),
  since,
  until,
  limit: limitQuery(500),
  after: afterQuery,
});
export const auditReply = z.object({
  id: z.int(),
  actor_user_id: z.guid().nullable().meta({ description: 'null: the command line, or nobody known' }),
  actor: z.string().nullable().meta({
    description:
      'User name of the actor; null: the command line, nobody known, or an account without a trace',
  }),
  action: z.enum(auditActions),
  target: z.string().nullable(),
  target_name: z.string().nullable().meta({
    description:
      'What the target is called: a user name, the name of a key with its prefix, the host of a webhook; null where nobody knows it any more',
  }),
  payload: z.record(z.string(), z.unknown()),
  occurred_at: z.string(),
});

export const auditRoutes = routesOf('administration', {
  list: {
    method: 'GET',
    path: '/admin/audit',
    floor: 'admin',
    summary: 'What was done, by whom, newest first',
    access: 'Rows that are older than SVC_RETENTION_AUDIT_DAYS are in the export alone.',
    query: auditListQuery,
    reply: { 200: z.array(auditReply) },
  },
  export: {
    method: 'GET',
    path: '/admin/audit/export',
    floor: 'admin',
    summary: 'The whole audit log, oldest first, one JSON object a line',
    access: 'Also with the rows that have left the database for files of the artifact store.',
    query: auditExportQuery,
    reply: {
      200: {
        description: 'Streamed, gzip where accepted',
        content: { 'application/x-ndjson': { schema: z.string() } },
      },
    },
  },
});
