import { ProblemError } from '@kindred/contracts';
import { noQuery } from '@kindred/contracts/fields';
import {
  datasetListQuery,
  datasetParams,
  datasetReply,
  downloadQuery,
  importBody,
  exportDatasetPayload,
} from '@kindred/contracts/resources/datasets';
import { queuedReply } from '@kindred/contracts/resources/jobs';
import { z } from 'zod';
import { type DatasetRow, findDataset, listDatasets } from '../../../store/records/datasets.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, validationProblem } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { sendFile } from '../../send-file.js';
import { queueShortcut } from '../../submit.js';
import { importDataset } from './import.js';
import { presentDataset } from './present.js';

const urlTtlSeconds = 15 * 60;

export function datasetRoutes(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  exportRoute(api, deps);
  importRoute(api, deps);
  api.get(
    '/datasets',
    { schema: { querystring: datasetListQuery, response: { 200: z.array(datasetReply) } } },
    async (request, reply) => {
      const { limit, after, name_like: nameLike, embedding_config_id: embeddingConfigId } = request.query;
      const rows = await listDatasets(db, { nameLike, embeddingConfigId }, limit, readAfter(after));
      linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.created_at, id: row.id })) });
      return rows.map(presentDataset);
    },
  );
  api.get(
    '/datasets/:id_or_name',
    { schema: { params: datasetParams, querystring: noQuery, response: { 200: datasetReply } } },
    async (request) => presentDataset(await required(db, request.params.id_or_name)),
  );
  downloadRoute(api, deps);
}

async function required(db: RouteDeps['db'], idOrName: string): Promise<DatasetRow> {
  const row = await findDataset(db, idOrName);
  if (row === undefined) throw absent('dataset', idOrName);
  return row;
}

function exportRoute(api: Api, deps: RouteDeps): void {
  api.post(
    '/datasets',
    { schema: { body: exportDatasetPayload, querystring: noQuery, response: { 202: queuedReply } } },
    async (request, reply) => {
      const payload = request.body;
      await requireReferences(deps.db, payload, 'body');
      await requireFreeName(deps.db, payload.name);
      return queueShortcut(deps, request, reply, { operation: 'export_research_dataset', payload });
    },
  );
}

async function requireFreeName(db: RouteDeps['db'], name: string): Promise<void> {
  const taken = await findDataset(db, name);
  if (taken === undefined) return;
  throw new ProblemError(
    'already_exists',
    `Dataset ${taken.id} has the name ${JSON.stringify(name)}. Choose another; a dataset is never changed.`,
  );
}

function importRoute(api: Api, deps: RouteDeps): void {
  api.post(
    '/datasets/import-by-reference',
    { schema: { body: importBody, querystring: noQuery, response: { 201: datasetReply } } },
    async (request, reply) => {
      const row = await importDataset(deps, request.body);
      reply.code(201).header('location', `/v1/datasets/${row.id}`);
      return presentDataset(row);
    },
  );
}

function downloadRoute(api: Api, { db, artifacts }: RouteDeps): void {
  api.get(
    '/datasets/:id_or_name/download',
    {
      schema: {
        params: datasetParams,
        querystring: downloadQuery,
        response: {
          200: {
            description: 'The file',
            content: { 'application/octet-stream': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { artifact } = request.query;
      const row = await required(db, request.params.id_or_name);
      const uri = row[`${artifact}_uri`];
      if (uri === null)
        throw validationProblem([
          { path: '/artifact', message: `the dataset has no ${artifact} file`, code: 'not_found' },
        ]);
      const elsewhere = await artifacts.url(uri, urlTtlSeconds);
      if (elsewhere !== null) return reply.redirect(elsewhere, 302);
      return sendFile(reply, artifacts, uri, {
        contentType: artifact === 'manifest' ? 'application/json' : 'application/vnd.apache.parquet',
        filename: artifact === 'manifest' ? 'manifest.json' : `${artifact}.parquet`,
      });
    },
  );
}
