import { evaluationSetRoutes } from '@kindred/contracts/resources/evaluation-sets';
import type { Queryable } from '../../../store/postgres/db.js';
import {
  deleteEvaluationResult,
  type EvaluationResultRow,
  findEvaluationResult,
  listEvaluationResults,
  resamplesOf,
} from '../../../store/evaluation/evaluation-results.repository.js';
import { findEvaluationSet } from '../../../store/evaluation/evaluation-sets.repository.js';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { absent } from '../../problems.js';
import { markedFile } from '../../marked-file.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { sendChunks } from '../../stream.js';
import { queueSaying } from '../../submit.js';
import { sendArchive } from './archive.js';
import { comparison } from './compare.js';
import { metricsTable, presentResult, presentResultDetail } from './present.js';

/** Finds a result of this set and no other. */
async function required(db: Queryable, ids: { id: string; rid: string }): Promise<EvaluationResultRow> {
  const row = await findEvaluationResult(db, ids.rid);
  if (row === undefined || row.evaluation_set_id !== ids.id)
    throw absent(`result in evaluation set ${ids.id}:`, ids.rid);
  return row;
}

export function resultRoutes(api: Api, deps: RouteDeps): void {
  const { db, artifacts } = deps;
  serve(api, evaluationSetRoutes.run, async (request, reply) => {
    const { id } = request.params;
    if ((await findEvaluationSet(db, id)) === undefined) throw absent('evaluation set', id);
    const payload = { evaluation_set_id: id, ...request.body };
    await requireReferences(db, payload, '');
    const said = await sayWhoSees(db, request.body.prediction_set_id);
    const job = { operation: 'run_cafa_evaluation' as const, payload };
    return queueSaying(deps, request, reply, { job, said });
  });
  serve(api, evaluationSetRoutes.results, async (request, reply) => {
    const { id } = request.params;
    if ((await findEvaluationSet(db, id)) === undefined) throw absent('evaluation set', id);
    const { limit, after, prediction_set_id: predictionSetId } = request.query;
    const page = await listEvaluationResults(db, id, {
      reader: readerOf(request),
      limit,
      after: readAfter(after),
      predictionSetId,
    });
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentResult);
  });
  serve(api, evaluationSetRoutes.result, async (request) =>
    presentResultDetail(await required(db, request.params)),
  );
  serve(api, evaluationSetRoutes.removeResult, async (request, reply) => {
    const { rid } = request.params;
    await required(db, request.params);
    const deleted = await deleteEvaluationResult(db, rid);
    for (const { uri } of deleted?.artifacts ?? []) await artifacts.delete(uri);
    return reply.code(204).send(null);
  });
  resultDownloads(api, deps);
}

/** Says whether everyone will find the figures of the set, and if not, what to do. */
async function sayWhoSees(
  db: Queryable,
  predictionSetId: string,
): Promise<{ listed: boolean; note: string | null }> {
  const set = await findPredictionSet(db, predictionSetId);
  const listed = set?.listed === true && set.visibility === 'listed';
  const how =
    set?.query_set_id == null || !set.listed
      ? 'predict again for a query set that is saved and listed'
      : `PATCH /v1/query-sets/${set.query_set_id} with {"visibility": "listed"}`;
  return {
    listed,
    note: listed
      ? null
      : `The predictions are not listed for everyone, so only their owner, operators and administrators see the figures in the benchmark and the showcase, marked as not listed. To show them to everyone: ${how}.`,
  };
}

function resultDownloads(api: Api, { db, artifacts }: RouteDeps): void {
  serve(api, evaluationSetRoutes.resultMetrics, async (request, reply) => {
    const row = await required(db, request.params);
    async function* table() {
      yield metricsTable(row);
    }
    return sendChunks(request, reply, table(), {
      contentType: 'text/tab-separated-values; charset=utf-8',
      filename: markedFile(reply, { name: `metrics_${row.id}`, extension: 'tsv' }, [row.reference]),
    });
  });
  serve(api, evaluationSetRoutes.resultArtifacts, async (request, reply) =>
    sendArchive(reply, await required(db, request.params), artifacts),
  );
  serve(api, evaluationSetRoutes.compareResults, async (request) => {
    const { id } = request.params;
    const row = await required(db, request.params);
    const other = await required(db, { id, rid: request.query.with });
    const withResamples = async (result: EvaluationResultRow) => ({
      row: result,
      resamples: await resamplesOf(db, result.id),
    });
    return comparison(await withResamples(row), await withResamples(other));
  });
}
