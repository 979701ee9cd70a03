import { z } from 'zod';
import { afterQuery, limitQuery } from '../fields.js';
import { type UserId, uuidOf } from '../ids.js';
import { accountRoles } from '../roles.js';
import { routesOf } from '../route.js';
import { accountReply, password } from './auth.js';
import { accountStatuses } from '../vocabulary.js';

export const userParams = z.object({ id: uuidOf<UserId>() });
export const sessionsParams = z.object({ user_id: uuidOf<UserId>() });
export const userListQuery = z.strictObject({
  status: z.enum(accountStatuses).optional(),
  role: z.enum(accountRoles).optional(),
  limit: limitQuery(500),
  after: afterQuery,
});
export const approveBody = z
  .strictObject({ role: z.enum(accountRoles).default('researcher') })
  .nullish()
  .transform((body) => body ?? { role: 'researcher' as const });
export const roleBody = z.strictObject({ role: z.enum(accountRoles) });
export const setPasswordBody = z.strictObject({ new_password: password });
export const userReply = accountReply.extend({
  intended_use: z.string().nullable(),
  created_at: z.string(),
  last_login_at: z.string().nullable(),
});
export const revokedReply = z.object({
  user_id: z.guid(),
  revoked: z.int().meta({ description: 'Sessions that were live' }),
});

export const userRoutes = routesOf('administration', {
  list: {
    method: 'GET',
    path: '/admin/users',
    floor: 'admin',
    summary: 'List accounts, newest first',
    query: userListQuery,
    reply: { 200: z.array(userReply) },
  },
  approve: {
    method: 'POST',
    path: '/admin/users/:id/approve',
    floor: 'admin',
    refuses: [409],
    summary: 'Let a pending account in',
    params: userParams,
    body: approveBody,
    reply: { 200: userReply },
  },
  deactivate: {
    method: 'POST',
    path: '/admin/users/:id/deactivate',
    floor: 'admin',
    refuses: [409],
    summary: 'Stop an account, its sessions, tokens and keys',
    params: userParams,
    reply: { 200: userReply },
  },
  reactivate: {
    method: 'POST',
    path: '/admin/users/:id/reactivate',
    floor: 'admin',
    refuses: [409],
    summary: 'Reactivate a deactivated account',
    params: userParams,
    reply: { 200: userReply },
  },
  changeRole: {
    method: 'POST',
    path: '/admin/users/:id/role',
    floor: 'admin',
    refuses: [409],
    summary: 'Change the role of an account',
    params: userParams,
    body: roleBody,
    reply: { 200: userReply },
  },
  setPassword: {
    method: 'POST',
    path: '/admin/users/:id/password',
    floor: 'admin',
    summary: 'Set a new password of an account; its sessions end, its API keys stay',
    params: userParams,
    body: setPasswordBody,
    reply: { 200: revokedReply },
  },
  remove: {
    method: 'DELETE',
    path: '/users/:id',
    floor: 'admin',
    refuses: [409],
    summary: 'Delete an account with its sessions and keys',
    params: userParams,
    reply: { 204: z.null() },
  },
  revokeSessions: {
    method: 'POST',
    path: '/auth/admin/revoke-sessions/:user_id',
    floor: 'admin',
    summary: 'Revoke all sessions of an account',
    tag: 'authentication',
    params: sessionsParams,
    reply: { 200: revokedReply },
  },
});
