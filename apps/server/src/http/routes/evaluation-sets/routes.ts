import { evaluationSetRoutes } from '@kindred/contracts/resources/evaluation-sets';
import { removeEvaluationSet } from '../../../resources/evaluation-sets.js';
import {
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
  const { db } = deps;
  serve(api, evaluationSetRoutes.generate, async (request, reply) => {
    await requireReferences(db, request.body, '');
    const job = { operation: 'generate_evaluation_set' as const, payload: request.body };
    return queueShortcut(deps, request, reply, job);
  });
  serve(api, evaluationSetRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listEvaluationSets(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentSet);
  });
  serve(api, evaluationSetRoutes.show, async (request) => {
    const row = await findEvaluationSet(db, request.params.id);
    if (row === undefined) throw absent('evaluation set', request.params.id);
    return presentSetDetail(row);
  });
  serve(api, evaluationSetRoutes.remove, async (request) => {
    const { id } = request.params;
    return { deleted: id, ...(await removeEvaluationSet(db, id)) };
  });
  truthDownloads(api, deps);
  resultRoutes(api, deps);
}
