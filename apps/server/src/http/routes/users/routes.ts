import { noBody, noQuery } from '@kindred/contracts/fields';
import {
  approveBody,
  revokedReply,
  roleBody,
  sessionsParams,
  userListQuery,
  userParams,
  userReply,
} from '@kindred/contracts/resources/users';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type Act,
  approveUser,
  changeRole,
  deactivateUser,
  reactivateUser,
  removeUser,
  revokeSessions,
} from '../../../accounts/administration.js';
import { listUsers } from '../../../store/accounts/users.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { presentUser } from './present.js';

const act = (request: FastifyRequest, userId: string): Act => ({
  actorId: request.principal.user?.id ?? null,
  userId,
});

export function userRoutes(api: Api, { db }: RouteDeps): void {
  api.get(
    '/admin/users',
    { schema: { querystring: userListQuery, response: { 200: z.array(userReply) } } },
    async (request, reply) => {
      const { after, ...filter } = request.query;
      const rows = await listUsers(db, { ...filter, after: readAfter(after) });
      const { limit } = filter;
      linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.created_at, id: row.id })) });
      return rows.map(presentUser);
    },
  );
  const schema = { params: userParams, querystring: noQuery, response: { 200: userReply } };
  api.post('/admin/users/:id/approve', { schema: { ...schema, body: approveBody } }, async (request) =>
    presentUser(await approveUser(db, act(request, request.params.id), request.body.role)),
  );
  api.post('/admin/users/:id/deactivate', { schema: { ...schema, body: noBody } }, async (request) =>
    presentUser(await deactivateUser(db, act(request, request.params.id))),
  );
  api.post('/admin/users/:id/reactivate', { schema: { ...schema, body: noBody } }, async (request) =>
    presentUser(await reactivateUser(db, act(request, request.params.id))),
  );
  api.post('/admin/users/:id/role', { schema: { ...schema, body: roleBody } }, async (request) =>
    presentUser(await changeRole(db, act(request, request.params.id), request.body.role)),
  );
  api.delete(
    '/users/:id',
    { schema: { params: userParams, body: noBody, querystring: noQuery, response: { 204: z.null() } } },
    async (request, reply) => {
      await removeUser(db, act(request, request.params.id));
      return reply.code(204).send(null);
    },
  );
  api.post(
    '/auth/admin/revoke-sessions/:user_id',
    {
      schema: { params: sessionsParams, body: noBody, querystring: noQuery, response: { 200: revokedReply } },
    },
    async (request) => {
      const { user_id } = request.params;
      return { user_id, revoked: await revokeSessions(db, act(request, user_id)) };
    },
  );
}
