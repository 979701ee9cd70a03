import { supportRoutes } from '@kindred/contracts/resources/support';
import {
  addSupportEntry,
  countSupportEntries,
  newestComments,
} from '../../../store/records/support.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { presentSupport } from './present.js';

export function serveSupport(api: Api, { db }: RouteDeps): void {
  serve(api, supportRoutes.show, async (request) => {
    const comments = await newestComments(db, request.query.all_comments ? 100 : 20);
    return presentSupport(await countSupportEntries(db), comments);
  });
  serve(api, supportRoutes.give, async (request, reply) => {
    const { entry, count } = await addSupportEntry(db, request.body?.comment ?? null);
    reply.code(201).header('location', '/v1/support');
    return { id: entry.id, count };
  });
}
