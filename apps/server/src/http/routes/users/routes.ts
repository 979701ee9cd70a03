import { userRoutes } from '@kindred/contracts/resources/users';
import type { FastifyRequest } from 'fastify';
import {
  type Act,
  approveUser,
  changeRole,
  deactivateUser,
  reactivateUser,
  removeUser,
  revokeSessions,
  setPassword,
} from '../../../accounts/administration.js';
import { listUsers } from '../../../store/accounts/users.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { presentUser } from './present.js';

const act = (request: FastifyRequest, userId: string): Act => ({
  actorId: request.principal.user?.id ?? null,
  userId,
});

export function serveUsers(api: Api, { db, settings }: RouteDeps): void {
  serve(api, userRoutes.list, async (request, reply) => {
    const { after, ...filter } = request.query;
    const page = await listUsers(db, { ...filter, after: readAfter(after) });
    const { limit } = filter;
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentUser);
  });
  serve(api, userRoutes.approve, async (request) =>
    presentUser(await approveUser(db, act(request, request.params.id), request.body.role)),
  );
  serve(api, userRoutes.deactivate, async (request) =>
    presentUser(await deactivateUser(db, act(request, request.params.id))),
  );
  serve(api, userRoutes.reactivate, async (request) =>
    presentUser(await reactivateUser(db, act(request, request.params.id))),
  );
  serve(api, userRoutes.changeRole, async (request) =>
    presentUser(await changeRole(db, act(request, request.params.id), request.body.role)),
  );
  serve(api, userRoutes.setPassword, async (request) => {
    const { id } = request.params;
    const { new_password: password } = request.body;
    return { user_id: id, revoked: await setPassword(db, act(request, id), password, settings) };
  });
  serve(api, userRoutes.remove, async (request, reply) => {
    await removeUser(db, act(request, request.params.id));
    return reply.code(204).send(null);
  });
  serve(api, userRoutes.revokeSessions, async (request) => {
    const { user_id } = request.params;
    return { user_id, revoked: await revokeSessions(db, act(request, user_id)) };
  });
}
