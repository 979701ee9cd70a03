import { ProblemError } from '@kindred/contracts';
import { querySetFields, querySetRoutes } from '@kindred/contracts/resources/query-sets';
import { inTransaction } from '../../../store/postgres/db.js';
import {
  deleteQuerySet,
  findQuerySet,
  insertQuerySet,
  listQuerySets,
  openJobsOfQuerySet,
  queryEntryPages,
} from '../../../store/proteins/query-sets.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireOwner } from '../../plugins/credentials.js';
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
    const rows = await listQuerySets(db, limit, readAfter(after));
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
  serve(api, querySetRoutes.remove, async (request) => {
    const { id } = request.params;
    return inTransaction(db, async (trx) => {
      const set = await findQuerySet(trx, id);
      if (set === undefined) throw absent('query set', id);
      requireOwner(request.principal, set.owner_user_id);
      const jobs = await openJobsOfQuerySet(trx, id);
      if (jobs.length > 0) {
        throw new ProblemError(
          'in_use',
          `Jobs still need this query set: ${jobs.join(', ')}. Cancel them, or wait.`,
        );
      }
      await deleteQuerySet(trx, id);
      return { deleted: id, entries_deleted: set.entry_count };
    });
  });
}

function uploadRoute(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  serve(api, querySetRoutes.upload, async (request, reply) => {
    const form = await readForm(request, settings, ['name', 'description']);
    const { name, description } = parseOrRefuse(querySetFields, form.fields);
    if (form.file === null) throw fieldProblem('/file', 'give the FASTA text as the part file', 'required');
    const records = await readUploadedFasta(form.file.bytes, settings, 'file');
    const set = await inTransaction(db, (trx) =>
      insertQuerySet(
        trx,
        {
          name,
          description: description ?? null,
          owner_user_id: request.principal.user?.id ?? null,
          listed: true,
          ttlHours: null,
        },
        records,
      ),
    );
    reply.code(201).header('location', `/v1/query-sets/${set.id}`);
    return presentQuerySet(set);
  });
}
