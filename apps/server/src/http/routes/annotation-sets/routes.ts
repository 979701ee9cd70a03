import { noBody, noQuery } from '@kindred/contracts/fields';
import {
  setDeletedReply,
  setDetailReply,
  setListQuery,
  setParams,
  setReply,
  loadGoaPayload,
  loadQuickgoPayload,
} from '@kindred/contracts/resources/annotation-sets';
import { queuedReply } from '@kindred/contracts/resources/jobs';
import { z } from 'zod';
import {
  deleteAnnotationSet,
  findAnnotationSet,
  listAnnotationSets,
} from '../../../store/annotations/annotations.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { queueShortcut } from '../../submit.js';
import { presentSet, presentSetDetail } from './present.js';

export function annotationSetRoutes(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  api.get(
    '/annotations/sets',
    { schema: { querystring: setListQuery, response: { 200: z.array(setReply) } } },
    async (request, reply) => {
      const { limit, after } = request.query;
      const rows = await listAnnotationSets(db, limit, readAfter(after));
      linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.created_at, id: row.id })) });
      return rows.map(presentSet);
    },
  );
  api.get(
    '/annotations/sets/:id',
    { schema: { params: setParams, querystring: noQuery, response: { 200: setDetailReply } } },
    async (request) => {
      const row = await findAnnotationSet(db, request.params.id);
      if (row === undefined) throw absent('annotation set', request.params.id);
      return presentSetDetail(row);
    },
  );
  api.delete(
    '/annotations/sets/:id',
    { schema: { params: setParams, body: noBody, querystring: noQuery, response: { 200: setDeletedReply } } },
    async (request) => {
      const { id } = request.params;
      const result = await deleteAnnotationSet(db, id);
      if (result === undefined) throw absent('annotation set', id);
      return { deleted: id, annotations_deleted: result.annotations_deleted };
    },
  );
  api.post(
    '/annotations/sets/load-goa',
    { schema: { body: loadGoaPayload, querystring: noQuery, response: { 202: queuedReply } } },
    async (request, reply) => {
      await requireReferences(db, request.body, 'body');
      return queueShortcut(deps, request, reply, {
        operation: 'load_goa_annotations',
        payload: request.body,
      });
    },
  );
  api.post(
    '/annotations/sets/load-quickgo',
    { schema: { body: loadQuickgoPayload, querystring: noQuery, response: { 202: queuedReply } } },
    async (request, reply) => {
      await requireReferences(db, request.body, 'body');
      return queueShortcut(deps, request, reply, {
        operation: 'load_quickgo_annotations',
        payload: request.body,
      });
    },
  );
}
