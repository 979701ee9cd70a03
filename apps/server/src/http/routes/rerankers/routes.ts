import { formFields, formParts, rerankerRoutes } from '@kindred/contracts/resources/rerankers';
import {
  deleteReranker,
  findReranker,
  listRerankers,
  rerankersAt,
} from '../../../store/evaluation/rerankers.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { parseOrRefuse } from '../../validation.js';
import { readRerankerForm } from './form.js';
import { boosterKey, importByReference, importUploaded, parseRunJson } from './import.js';
import { rerankerMetrics } from './metrics.js';
import { presentReranker, presentRerankerDetail } from './present.js';
import { rerankDownload } from './rerank.js';

export function serveRerankers(api: Api, deps: RouteDeps): void {
  importRoutes(api, deps);
  readRoutes(api, deps);
  deleteRoute(api, deps);
  rerankDownload(api, deps);
  rerankerMetrics(api, deps);
}

function importRoutes(api: Api, deps: RouteDeps): void {
  serve(api, rerankerRoutes.import, async (request, reply) => {
    const { files, fields } = await readRerankerForm(request, deps.settings);
    const { run_json: run, spec_yaml: specYaml } = parseOrRefuse(formParts, {
      run_json: parseRunJson(files.run),
      spec_yaml: Buffer.from(files.spec).toString(),
    });
    const choices = parseOrRefuse(formFields, fields);
    const row = await importUploaded(deps, { run, specYaml, modelBytes: files.model }, choices);
    reply.code(201).header('location', `/v1/scoring/rerankers/${row.id}`);
    return presentRerankerDetail(row, deps.artifacts);
  });
  serve(api, rerankerRoutes.importByReference, async (request, reply) => {
    const row = await importByReference(deps, request.body);
    reply.code(201).header('location', `/v1/scoring/rerankers/${row.id}`);
    return presentRerankerDetail(row, deps.artifacts);
  });
}

function readRoutes(api: Api, { db, artifacts }: RouteDeps): void {
  serve(api, rerankerRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listRerankers(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map((row) => presentReranker(row, artifacts));
  });
  serve(api, rerankerRoutes.show, async (request) => {
    const row = await findReranker(db, request.params.id);
    if (row === undefined) throw absent('re-ranker', request.params.id);
    return presentRerankerDetail(row, artifacts);
  });
}

/**
 * The booster is deleted with its last row if the service stored it; a booster that was registered by
 * reference stays.
 */
function deleteRoute(api: Api, { db, artifacts }: RouteDeps): void {
  serve(api, rerankerRoutes.remove, async (request, reply) => {
    const { id } = request.params;
    const row = await findReranker(db, id);
    if (row === undefined) throw absent('re-ranker', id);
    await deleteReranker(db, id);
    const own = boosterKey(row.run_id);
    const address = artifacts.addressOf(artifacts.uriOf(own));
    const isOwn = row.artifact_uri !== null && artifacts.addressOf(row.artifact_uri) === address;
    if (isOwn && (await rerankersAt(db, own)).length === 0) await artifacts.delete(artifacts.uriOf(own));
    return reply.code(204).send(null);
  });
}
