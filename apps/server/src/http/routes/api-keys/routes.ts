import { keyListQuery, apiKeyRoutes } from '@kindred/contracts/resources/api-keys';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { mintApiKey, revokeApiKey } from '../../../accounts/api-keys.js';
import { listApiKeys } from '../../../store/accounts/api-keys.repository.js';
import { usernamesOf } from '../../../store/accounts/users.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireAccount } from '../../plugins/credentials.js';
import { serve } from '../../serve.js';
import { presentKey } from './present.js';

export function serveApiKeys(api: Api, { db }: RouteDeps): void {
  const list = async (request: FastifyRequest, reply: FastifyReply, userId?: string) => {
    const query = request.query as z.infer<typeof keyListQuery>;
    const page = await listApiKeys(db, {
      userId,
      includeRevoked: query.include_revoked ?? false,
      limit: query.limit,
      after: readAfter(query.after),
    });
    linkNext(request, reply, { limit: query.limit, page, time: 'created_at' });
    return page.rows;
  };
  serve(api, apiKeyRoutes.list, async (request, reply) => {
    const keys = await list(request, reply);
    const owners = await usernamesOf(
      db,
      keys.map((key) => key.user_id),
    );
    return keys.map((key) => ({ ...presentKey(key), owner: owners.get(key.user_id) ?? '' }));
  });
  serve(api, apiKeyRoutes.listOwn, async (request, reply) =>
    (await list(request, reply, requireAccount(request.principal).id)).map(presentKey),
  );
  serve(api, apiKeyRoutes.create, async (request, reply) => {
    const { name, role, user_id } = request.body;
    const { key, raw } = await mintApiKey(db, request.principal, { name, role, userId: user_id });
    reply.code(201).header('cache-control', 'no-store').header('location', `/v1/auth/api-keys/${key.id}`);
    return { ...presentKey(key), key: raw };
  });
  serve(api, apiKeyRoutes.revoke, async (request) =>
    presentKey(await revokeApiKey(db, request.principal, request.params.id)),
  );
}
