import { predictionSetRoutes } from '@kindred/contracts/resources/prediction-sets';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { predictionPages } from '../../../store/predictions/predictions.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { markedFile } from '../../marked-file.js';
import { requireFilled } from '../../references.js';
import { serve } from '../../serve.js';
import { sendChunks } from '../../stream.js';
import { cafaTable, predictionTable } from './tables.js';

const contentType = 'text/tab-separated-values; charset=utf-8';

export function predictionDownloads(api: Api, { db }: RouteDeps): void {
  const about = async (id: string) => {
    const set = await findPredictionSet(db, id);
    if (set === undefined) throw absent('prediction set', id);
    requireFilled(set);
    const { search } = set.parameters as { search?: string };
    // The columns are fixed, so the name of the file says that its neighbours are approximate.
    return { number: set.number, name: search === 'hnsw' ? `${id}_hnsw` : id, made: [set.reference] };
  };
  serve(api, predictionSetRoutes.tsv, async (request, reply) => {
    const { id } = request.params;
    const { accession, aspect, max_distance, contradicted = false } = request.query;
    const { number, name, made } = await about(id);
    const pages = predictionPages(db, number, {
      accession,
      aspect,
      maxDistance: max_distance,
      contradicted,
    });
    return sendChunks(request, reply, predictionTable(pages), {
      contentType,
      filename: markedFile(reply, { name: `predictions_${name}`, extension: 'tsv' }, made),
    });
  });
  serve(api, predictionSetRoutes.cafa, async (request, reply) => {
    const { id } = request.params;
    const { aspect, max_distance, contradicted = false } = request.query;
    const { number, name, made } = await about(id);
    const pages = predictionPages(db, number, { aspect, maxDistance: max_distance, contradicted });
    return sendChunks(request, reply, cafaTable(pages), {
      contentType,
      filename: markedFile(reply, { name: `predictions_cafa_${name}`, extension: 'tsv' }, made),
    });
  });
}
