import { ProblemError } from '@kindred/contracts';
import { noBody, noQuery } from '@kindred/contracts/fields';
import {
  setDeletedReply,
  setDetailReply,
  setListQuery,
  setParams,
  setReply,
  generateEvaluationSetPayload,
} from '@kindred/contracts/resources/evaluation-sets';
import { queuedReply } from '@kindred/contracts/resources/jobs';
import { z } from 'zod';
import { inTransaction } from '../../../store/postgres/db.js';
import {
  deleteEvaluationSet,
  findEvaluationSet,
  listEvaluationSets,
} from '../../../store/evaluation/evaluation-sets.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { queueShortcut } from '../../submit.js';
import { truthDownloads } from './downloads.js';
import { presentSet, presentSetDetail } from './present.js';
import { resultRoutes } from './results.js';

const base = '/annotations/evaluation-sets';

export function evaluationSetRoutes(api: Api, deps: RouteDeps): void {
  const { db, artifacts } = deps;
  api.post(
    `${base}/generate`,
    { schema: { body: generateEvaluationSetPayload, querystring: noQuery, response: { 202: queuedReply } } },
    async (request, reply) => {
      await requireReferences(db, request.body, 'body');
      const job = { operation: 'generate_evaluation_set' as const, payload: request.body };
      return queueShortcut(deps, request, reply, job);
    },
  );
  api.get(
    base,
    { schema: { querystring: setListQuery, response: { 200: z.array(setReply) } } },
    async (request, reply) => {
      const { limit, after } = request.query;
      const rows = await listEvaluationSets(db, limit, readAfter(after));
      linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.created_at, id: row.id })) });
      return rows.map(presentSet);
    },
  );
  api.get(
    `${base}/:id`,
    { schema: { params: setParams, querystring: noQuery, response: { 200: setDetailReply } } },
    async (request) => {
      const row = await findEvaluationSet(db, request.params.id);
      if (row === undefined) throw absent('evaluation set', request.params.id);
      return presentSetDetail(row);
    },
  );
  api.delete(
    `${base}/:id`,
    { schema: { params: setParams, body: noBody, querystring: noQuery, response: { 200: setDeletedReply } } },
    async (request) => {
      const { id } = request.params;
      const deleted = await inTransaction(db, (trx) => deleteEvaluationSet(trx, id)).catch((error) => {
        throw inUse(error, id);
      });
      if (deleted === undefined) throw absent('evaluation set', id);
      for (const uri of deleted.artifactUris) await artifacts.delete(uri);
      const { truth_deleted, results_deleted } = deleted;
      return { deleted: id, truth_deleted, results_deleted };
    },
  );
  truthDownloads(api, deps);
  resultRoutes(api, deps);
}

/** A row of another table names the set: PostgreSQL's foreign_key_violation. */
function inUse(error: unknown, id: string): unknown {
  if ((error as { code?: unknown }).code !== '23503') return error;
  const { table } = error as { table?: string };
  return new ProblemError('in_use', `Evaluation set ${id} is used by rows of ${table ?? 'another table'}.`, {
    cause: error,
  });
}
