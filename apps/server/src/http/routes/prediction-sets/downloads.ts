import {
  cafaQuery,
  predictionSetParams,
  tsvQuery,
  tsvReply,
} from '@kindred/contracts/resources/prediction-sets';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { predictionPages } from '../../../store/predictions/predictions.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { sendChunks } from '../../stream.js';
import { cafaTable, predictionTable } from './tables.js';

const contentType = 'text/tab-separated-values; charset=utf-8';

export function predictionDownloads(api: Api, { db }: RouteDeps): void {
  const about = async (id: string) => {
    const set = await findPredictionSet(db, id);
    if (set === undefined) throw absent('prediction set', id);
    const { search } = set.parameters as { search?: string };
    // The columns are fixed, so the name of the file says that its neighbours are approximate.
    return { number: set.number, name: search === 'hnsw' ? `${id}_hnsw` : id };
  };
  api.get(
    '/embeddings/prediction-sets/:id/predictions.tsv',
    { schema: { params: predictionSetParams, querystring: tsvQuery, response: { 200: tsvReply } } },
    async (request, reply) => {
      const { id } = request.params;
      const { accession, aspect, max_distance } = request.query;
      const { number, name } = await about(id);
      const pages = predictionPages(db, number, { accession, aspect, maxDistance: max_distance });
      return sendChunks(request, reply, predictionTable(pages), {
        contentType,
        filename: `predictions_${name}.tsv`,
      });
    },
  );
  api.get(
    '/embeddings/prediction-sets/:id/predictions-cafa.tsv',
    { schema: { params: predictionSetParams, querystring: cafaQuery, response: { 200: tsvReply } } },
    async (request, reply) => {
      const { id } = request.params;
      const { aspect, max_distance } = request.query;
      const { number, name } = await about(id);
      const pages = predictionPages(db, number, { aspect, maxDistance: max_distance });
      return sendChunks(request, reply, cafaTable(pages), {
        contentType,
        filename: `predictions_cafa_${name}.tsv`,
      });
    },
  );
}
