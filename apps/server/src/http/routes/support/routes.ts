import { noQuery } from '@kindred/contracts/fields';
import {
  supportBody,
  supportGivenReply,
  supportQuery,
  supportReply,
} from '@kindred/contracts/resources/support';
import {
  addSupportEntry,
  countSupportEntries,
  newestComments,
} from '../../../store/records/support.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { presentSupport } from './present.js';

export function supportRoutes(api: Api, { db }: RouteDeps): void {
  api.get(
    '/support',
    { schema: { querystring: supportQuery, response: { 200: supportReply } } },
    async (request) => {
      const comments = await newestComments(db, request.query.all_comments ? 100 : 20);
      return presentSupport(await countSupportEntries(db), comments);
    },
  );
  api.post(
    '/support',
    { schema: { body: supportBody, querystring: noQuery, response: { 201: supportGivenReply } } },
    async (request, reply) => {
      const { entry, count } = await addSupportEntry(db, request.body?.comment ?? null);
      reply.code(201).header('location', '/v1/support');
      return { id: entry.id, count };
    },
  );
}
