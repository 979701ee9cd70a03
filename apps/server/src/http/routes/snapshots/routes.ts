import { noQuery } from '@kindred/contracts/fields';
import { queuedReply } from '@kindred/contracts/resources/jobs';
import {
  iaUrlBody,
  snapshotDetailReply,
  snapshotListQuery,
  snapshotParams,
  snapshotReply,
  subgraphQuery,
  subgraphReply,
  loadOntologyPayload,
} from '@kindred/contracts/resources/snapshots';
import { z } from 'zod';
import {
  findSnapshot,
  listSnapshots,
  setIaUrl,
  subgraph,
  termPages,
} from '../../../store/ontology/ontology.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { jsonWithList, sendChunks } from '../../stream.js';
import { queueShortcut } from '../../submit.js';
import { presentSnapshot, presentSubgraph, presentTerm } from './present.js';

export function snapshotRoutes(api: Api, deps: RouteDeps): void {
  readRoutes(api, deps);
  const { db } = deps;
  api.patch(
    '/annotations/snapshots/:id/ia-url',
    {
      schema: {
        params: snapshotParams,
        body: iaUrlBody,
        querystring: noQuery,
        response: { 200: snapshotReply },
      },
    },
    async (request) => {
      const row = await setIaUrl(db, request.params.id, request.body.ia_url || null);
      if (row === undefined) throw absent('ontology snapshot', request.params.id);
      return presentSnapshot(row);
    },
  );
  api.post(
    '/annotations/snapshots/load',
    { schema: { body: loadOntologyPayload, querystring: noQuery, response: { 202: queuedReply } } },
    (request, reply) =>
      queueShortcut(deps, request, reply, { operation: 'load_ontology_snapshot', payload: request.body }),
  );
}

async function required(db: RouteDeps['db'], id: string) {
  const row = await findSnapshot(db, id);
  if (row === undefined) throw absent('ontology snapshot', id);
  return row;
}

function readRoutes(api: Api, { db }: RouteDeps): void {
  api.get(
    '/annotations/snapshots',
    { schema: { querystring: snapshotListQuery, response: { 200: z.array(snapshotReply) } } },
    async (request, reply) => {
      const { limit, after } = request.query;
      const rows = await listSnapshots(db, limit, readAfter(after));
      linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.loaded_at, id: row.id })) });
      return rows.map(presentSnapshot);
    },
  );
  api.get(
    '/annotations/snapshots/:id',
    { schema: { params: snapshotParams, querystring: noQuery, response: { 200: snapshotDetailReply } } },
    async (request, reply) => {
      const snapshot = await required(db, request.params.id);
      const terms = jsonWithList(presentSnapshot(snapshot), 'terms', termPages(db, snapshot.id), presentTerm);
      return sendChunks(request, reply, terms, {
        contentType: 'application/json; charset=utf-8',
        filename: null,
      });
    },
  );
  api.get(
    '/annotations/snapshots/:id/subgraph',
    { schema: { params: snapshotParams, querystring: subgraphQuery, response: { 200: subgraphReply } } },
    async (request) => {
      const { id } = await required(db, request.params.id);
      const { go_ids, relations, depth } = request.query;
      return presentSubgraph(await subgraph(db, id, [...new Set(go_ids)], relations), depth);
    },
  );
}
