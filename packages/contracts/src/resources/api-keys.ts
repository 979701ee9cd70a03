import { z } from 'zod';
import { afterQuery, booleanQuery, limitQuery } from '../fields.js';
import { type UserId, uuidOf } from '../ids.js';
import { accountRoles } from '../roles.js';
import { routesOf } from '../route.js';

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
export const listedKeyReply = keyReply.extend({
  owner: z.string().meta({ description: 'User name of the account that the key is of' }),
});
export const newKeyReply = keyReply.extend({
  key: z.string().meta({ description: 'The raw key; it is shown only once' }),
});

export const apiKeyRoutes = routesOf('authentication', {
  create: {
    method: 'POST',
    path: '/auth/api-keys',
    floor: 'researcher',
    summary: 'Make an API key; the raw key is shown once',
    access: "For the caller's own account, with at most the caller's role; an admin for any user.",
    rate: 'api_keys',
    refuses: [404, 409],
    body: keyBody,
    reply: { 201: newKeyReply },
  },
  list: {
    method: 'GET',
    path: '/auth/api-keys',
    floor: 'admin',
    summary: 'List all API keys',
    query: keyListQuery,
    reply: { 200: z.array(listedKeyReply) },
  },
  listOwn: {
    method: 'GET',
    path: '/auth/me/api-keys',
    floor: 'guest',
    summary: "List one's own API keys",
    query: keyListQuery,
    reply: { 200: z.array(keyReply) },
  },
  revoke: {
    method: 'DELETE',
    path: '/auth/api-keys/:id',
    floor: 'researcher',
    summary: 'Revoke an API key',
    access: 'Owners can revoke their own keys, an admin any key.',
    params: keyParams,
    reply: { 200: keyReply },
  },
});
