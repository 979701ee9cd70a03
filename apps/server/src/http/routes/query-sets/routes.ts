import { querySetFields, querySetRoutes } from '@kindred/contracts/resources/query-sets';
import { addQuerySet, changeQuerySet, removeQuerySet } from '../../../resources/query-sets.js';
import {
  findQuerySet,
  listQuerySets,
  queryEntryPages,
} from '../../../store/proteins/query-sets.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { absent, fieldProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { jsonWithList, sendChunks } from '../../stream.js';
import { readForm, readUploadedFasta } from '../../upload.js';
import { parseOrRefuse } from '../../validation.js';
import { presentEntry, presentQuerySet } from './present.js';

export function serveQuerySets(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  uploadRoute(api, deps);
  serve(api, querySetRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const rows = await listQuerySets(db, readerOf(request), limit, readAfter(after));
    linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.created_at, id: row.id })) });
    return rows.map(presentQuerySet);
  });
  serve(api, querySetRoutes.show, async (request, reply) => {
    const set = await findQuerySet(db, request.params.id);
    if (set === undefined) throw absent('query set', request.params.id);
    const entries = jsonWithList(presentQuerySet(set), 'entries', queryEntryPages(db, set.id), presentEntry);
    return sendChunks(request, reply, entries, {
      contentType: 'application/json; charset=utf-8',
      filename: null,
    });
  });
  serve(api, querySetRoutes.change, async (request) => {
    const { visibility } = request.body;
    return presentQuerySet(await changeQuerySet(db, request.principal, request.params.id, visibility));
  });
  serve(api, querySetRoutes.remove, async (request) => {
    const { id } = request.params;
    const { entriesDeleted } = await removeQuerySet(db, request.principal, id);
    return { deleted: id, entries_deleted: entriesDeleted };
  });
}

function uploadRoute(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  serve(api, querySetRoutes.upload, async (request, reply) => {
    const form = await readForm(request, settings, ['name', 'description', 'visibility']);
    const {
      name,
      description,
      visibility = settings.defaultVisibility,
    } = parseOrRefuse(querySetFields, form.fields);
    if (form.file === null) throw fieldProblem('/file', 'give the FASTA text as the part file', 'required');
    const records = await readUploadedFasta(form.file.bytes, settings, 'file');
    const draft = {
      name,
      description: description ?? null,
      owner_user_id: request.principal.user?.id ?? null,
      listed: true,
      visibility,
      ttlHours: null,
    };
    const set = await addQuerySet(db, draft, records);
    reply.code(201).header('location', `/v1/query-sets/${set.id}`);
    return presentQuerySet(set);
  });
}
