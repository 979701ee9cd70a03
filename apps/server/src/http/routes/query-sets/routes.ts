import { querySetFields, querySetRoutes } from '@kindred/contracts/resources/query-sets';
import { addQuerySet, changeQuerySet, removeQuerySet } from '../../../resources/query-sets.js';
import {
  findQuerySet,
  listQuerySets,
  queryEntryPages,
  querySequencePages,
} from '../../../store/proteins/query-sets.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { absent, fieldProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { jsonWithList, sendChunks } from '../../stream.js';
import { nameOfFile, readForm, readUpload } from '../../upload.js';
import { parseOrRefuse } from '../../validation.js';
import { presentEntry, presentQuerySet, querySetFasta } from './present.js';

export function serveQuerySets(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  uploadRoute(api, deps);
  serve(api, querySetRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listQuerySets(db, readerOf(request), limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map((row) => presentQuerySet(row, request.principal));
  });
  contentRoutes(api, deps);
  serve(api, querySetRoutes.change, async (request) => {
    const { principal, params, body } = request;
    return presentQuerySet(await changeQuerySet(db, principal, params.id, body), principal);
  });
  serve(api, querySetRoutes.remove, async (request) => {
    const { id } = request.params;
    const { entriesDeleted } = await removeQuerySet(db, request.principal, id);
    return { deleted: id, entries_deleted: entriesDeleted };
  });
}

function contentRoutes(api: Api, { db }: RouteDeps): void {
  const required = async (id: string) => {
    const set = await findQuerySet(db, id);
    if (set === undefined) throw absent('query set', id);
    return set;
  };
  serve(api, querySetRoutes.show, async (request, reply) => {
    const set = await required(request.params.id);
    const entries = jsonWithList(
      presentQuerySet(set, request.principal),
      'entries',
      queryEntryPages(db, set.id),
      presentEntry,
    );
    return sendChunks(request, reply, entries, {
      contentType: 'application/json; charset=utf-8',
      filename: null,
    });
  });
  serve(api, querySetRoutes.sequences, async (request, reply) => {
    const { id } = await required(request.params.id);
    return sendChunks(request, reply, querySetFasta(querySequencePages(db, id)), {
      contentType: 'text/x-fasta; charset=utf-8',
      filename: `queries_${id}.fasta`,
    });
  });
}

function uploadRoute(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  serve(api, querySetRoutes.upload, async (request, reply) => {
    const form = await readForm(request, settings, ['name', 'description', 'visibility', 'bad_records']);
    const {
      description,
      visibility,
      bad_records: badRecords,
      ...given
    } = parseOrRefuse(querySetFields, form.fields);
    if (form.file === null) throw fieldProblem('/file', 'give the FASTA text as the part file', 'required');
    const name = given.name ?? nameOfFile(form.file);
    if (name === null) throw fieldProblem('/name', 'give the set a name, or the file one', 'required');
    const { records, leftOut } = await readUpload(deps, form.file.bytes, { part: 'file', badRecords });
    const draft = {
      name,
      description: description ?? null,
      owner_user_id: request.principal.user?.id ?? null,
      listed: true,
      visibility: visibility ?? settings.defaultVisibility,
      ttlHours: null,
    };
    const set = await addQuerySet(db, draft, records);
    reply.code(201).header('location', `/v1/query-sets/${set.id}`);
    return { ...presentQuerySet(set, request.principal), left_out: leftOut };
  });
}
