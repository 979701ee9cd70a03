import { datasetRoutes } from '@kindred/contracts/resources/datasets';
import { type DatasetRow, findDataset, listDatasets } from '../../../store/records/datasets.repository.js';
import { removeDataset } from '../../../resources/datasets.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, validationProblem } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { sendFile } from '../../send-file.js';
import { serve } from '../../serve.js';
import { queueShortcut } from '../../submit.js';
import { importDataset } from './import.js';
import { presentDataset } from './present.js';

const urlTtlSeconds = 15 * 60;

export function serveDatasets(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  exportRoute(api, deps);
  importRoute(api, deps);
  serve(api, datasetRoutes.list, async (request, reply) => {
    const { limit, after, name_like: nameLike, embedding_config_id: embeddingConfigId } = request.query;
    const page = await listDatasets(db, { nameLike, embeddingConfigId }, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map((row) => presentDataset(row, deps.artifacts));
  });
  serve(api, datasetRoutes.show, async (request) =>
    presentDataset(await required(db, request.params.id_or_name), deps.artifacts),
  );
  serve(api, datasetRoutes.remove, async (request, reply) => {
    await removeDataset(db, deps.artifacts, await required(db, request.params.id_or_name));
    return reply.code(204).send(null);
  });
  downloadRoute(api, deps);
}

async function required(db: RouteDeps['db'], idOrName: string): Promise<DatasetRow> {
  const row = await findDataset(db, idOrName);
  if (row === undefined) throw absent('dataset', idOrName);
  return row;
}

function exportRoute(api: Api, deps: RouteDeps): void {
  serve(api, datasetRoutes.export, async (request, reply) => {
    const payload = request.body;
    await requireReferences(deps.db, payload, '');
    return queueShortcut(deps, request, reply, { operation: 'export_research_dataset', payload });
  });
}

function importRoute(api: Api, deps: RouteDeps): void {
  serve(api, datasetRoutes.importByReference, async (request, reply) => {
    const row = await importDataset(deps, request.body);
    reply.code(201).header('location', `/v1/datasets/${row.id}`);
    return presentDataset(row, deps.artifacts);
  });
}

function downloadRoute(api: Api, { db, artifacts }: RouteDeps): void {
  serve(api, datasetRoutes.download, async (request, reply) => {
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
  });
}
