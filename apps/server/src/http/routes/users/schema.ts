import { accountRoles, type UserId, uuidOf } from '@kindred/contracts';
import { z } from 'zod';
import { afterQuery } from '../../cursor.js';
import { limitQuery } from '../../validation.js';
import { accountReply } from '../auth/schema.js';

export const userParams = z.object({ id: uuidOf<UserId>() });
export const sessionsParams = z.object({ user_id: uuidOf<UserId>() });
export const userListQuery = z.strictObject({
  status: z.enum(['pending', 'active', 'deactivated']).optional(),
  role: z.enum(accountRoles).optional(),
  limit: limitQuery(500),
  after: afterQuery,
});
export const approveBody = z
  .strictObject({ role: z.enum(accountRoles).default('researcher') })
  .nullish()
  .transform((body) => body ?? { role: 'researcher' as const });
export const roleBody = z.strictObject({ role: z.enum(accountRoles) });
export const userReply = accountReply.extend({
  intended_use: z.string().nullable(),
  created_at: z.string(),
  last_login_at: z.string().nullable(),
});
export const revokedReply = z.object({
  user_id: z.guid(),
  revoked: z.int().meta({ description: 'Sessions that were live' }),
});
