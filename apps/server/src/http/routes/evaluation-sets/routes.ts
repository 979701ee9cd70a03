import { ProblemError } from '@kindred/contracts';
import { evaluationSetRoutes } from '@kindred/contracts/resources/evaluation-sets';
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
import { serve } from '../../serve.js';
import { queueShortcut } from '../../submit.js';
import { truthDownloads } from './downloads.js';
import { presentSet, presentSetDetail } from './present.js';
import { resultRoutes } from './results.js';

export function serveEvaluationSets(api: Api, deps: RouteDeps): void {
  const { db, artifacts } = deps;
  serve(api, evaluationSetRoutes.generate, async (request, reply) => {
    await requireReferences(db, request.body, 'body');
    const job = { operation: 'generate_evaluation_set' as const, payload: request.body };
    return queueShortcut(deps, request, reply, job);
  });
  serve(api, evaluationSetRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const rows = await listEvaluationSets(db, limit, readAfter(after));
    linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.created_at, id: row.id })) });
    return rows.map(presentSet);
  });
  serve(api, evaluationSetRoutes.show, async (request) => {
    const row = await findEvaluationSet(db, request.params.id);
    if (row === undefined) throw absent('evaluation set', request.params.id);
    return presentSetDetail(row);
  });
  serve(api, evaluationSetRoutes.remove, async (request) => {
    const { id } = request.params;
    const deleted = await inTransaction(db, (trx) => deleteEvaluationSet(trx, id)).catch((error) => {
      throw inUse(error, id);
    });
    if (deleted === undefined) throw absent('evaluation set', id);
    for (const uri of deleted.artifactUris) await artifacts.delete(uri);
    const { truth_deleted, results_deleted } = deleted;
    return { deleted: id, truth_deleted, results_deleted };
  });
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
