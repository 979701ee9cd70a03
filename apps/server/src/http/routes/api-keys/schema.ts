import { accountRoles, type UserId, uuidOf } from '@kindred/contracts';
import { z } from 'zod';
import { afterQuery } from '../../cursor.js';
import { booleanQuery, limitQuery } from '../../validation.js';

export const keyParams = z.object({ id: uuidOf() });
export const keyListQuery = z.strictObject({
  include_revoked: booleanQuery.optional(),
  limit: limitQuery(500),
  after: afterQuery,
});
export const keyBody = z.strictObject({
  name: z.string().trim().min(1).max(255),
  role: z
    .enum(accountRoles)
    .optional()
    .meta({ description: 'At most the role of the owner; default the highest possible' }),
  user_id: uuidOf<UserId>().optional().meta({ description: 'Another owner; admin only' }),
});
export const keyReply = z.object({
  id: z.guid(),
  user_id: z.guid(),
  prefix: z.string(),
  name: z.string(),
  role: z.enum(accountRoles),
  created_at: z.string(),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
});
export const newKeyReply = keyReply.extend({
  key: z.string().meta({ description: 'The raw key; it is shown this once' }),
});
