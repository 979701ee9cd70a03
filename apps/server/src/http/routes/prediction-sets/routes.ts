import { noBody, noQuery } from '@kindred/contracts/fields';
import { queuedReply } from '@kindred/contracts/resources/jobs';
import {
  predictedProteinPageReply,
  predictedProteinQuery,
  predictionProteinParams,
  predictionReply,
  predictionSetDeletedReply,
  predictionSetDetailReply,
  predictionSetListQuery,
  predictionSetParams,
  predictionSetReply,
  termQuery,
  termsReply,
  predictPayload,
} from '@kindred/contracts/resources/prediction-sets';
import { z } from 'zod';
import { inTransaction } from '../../../store/postgres/db.js';
import {
  deletePredictionSet,
  findPredictionSet,
  listPredictionSets,
} from '../../../store/predictions/prediction-sets.repository.js';
import {
  listPredictedProteins,
  predictedAspectTotals,
  predictedTerms,
  predictionsOfProtein,
  predictionTotals,
} from '../../../store/predictions/predictions.repository.js';
import { linkNext, linkNextOffset, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { queueShortcut } from '../../submit.js';
import { predictionDownloads } from './downloads.js';
import {
  presentPrediction,
  presentPredictionSet,
  presentPredictionSetDetail,
  presentTerms,
} from './present.js';

export function predictionSetRoutes(api: Api, deps: RouteDeps): void {
  api.post(
    '/embeddings/predict',
    { schema: { body: predictPayload, querystring: noQuery, response: { 202: queuedReply } } },
    async (request, reply) => {
      await requireReferences(deps.db, request.body, 'body');
      return queueShortcut(deps, request, reply, { operation: 'predict_go_terms', payload: request.body });
    },
  );
  setRoutes(api, deps);
  contentRoutes(api, deps);
  predictionDownloads(api, deps);
}

async function required(db: RouteDeps['db'], id: string) {
  const set = await findPredictionSet(db, id);
  if (set === undefined) throw absent('prediction set', id);
  return set;
}

function setRoutes(api: Api, { db }: RouteDeps): void {
  api.get(
    '/embeddings/prediction-sets',
    { schema: { querystring: predictionSetListQuery, response: { 200: z.array(predictionSetReply) } } },
    async (request, reply) => {
      const { limit, after } = request.query;
      const rows = await listPredictionSets(db, limit, readAfter(after));
      linkNext(request, reply, { limit, rows: rows.map((row) => ({ time: row.created_at, id: row.id })) });
      return rows.map(presentPredictionSet);
    },
  );
  api.get(
    '/embeddings/prediction-sets/:id',
    {
      schema: {
        params: predictionSetParams,
        querystring: noQuery,
        response: { 200: predictionSetDetailReply },
      },
    },
    async (request) => {
      const set = await required(db, request.params.id);
      const totals = await predictionTotals(db, set.number);
      return presentPredictionSetDetail(set, totals, await predictedAspectTotals(db, set.number));
    },
  );
  api.delete(
    '/embeddings/prediction-sets/:id',
    {
      schema: {
        params: predictionSetParams,
        body: noBody,
        querystring: noQuery,
        response: { 200: predictionSetDeletedReply },
      },
    },
    async (request) => {
      const set = await required(db, request.params.id);
      const counts = await inTransaction(db, (trx) => deletePredictionSet(trx, set));
      return { deleted: set.id, ...counts };
    },
  );
}

function contentRoutes(api: Api, { db }: RouteDeps): void {
  api.get(
    '/embeddings/prediction-sets/:id/proteins',
    {
      schema: {
        params: predictionSetParams,
        querystring: predictedProteinQuery,
        response: { 200: predictedProteinPageReply },
      },
    },
    async (request, reply) => {
      const set = await required(db, request.params.id);
      const { search, limit, offset } = request.query;
      const { total, items } = await listPredictedProteins(db, set.number, { search, limit, offset });
      linkNextOffset(request, reply, { offset, limit, total });
      const shown = items.map(({ protein_accession, term_count, ...row }) => ({
        accession: protein_accession,
        go_count: term_count,
        ...row,
      }));
      return { total, offset, limit, items: shown };
    },
  );
  api.get(
    '/embeddings/prediction-sets/:id/proteins/:accession',
    {
      schema: {
        params: predictionProteinParams,
        querystring: noQuery,
        response: { 200: z.array(predictionReply) },
      },
    },
    async (request) => {
      const { id, accession } = request.params;
      const set = await required(db, id);
      const rows = await predictionsOfProtein(db, set.number, accession);
      if (rows.length === 0 && !(await hasProtein(db, set.number, accession))) {
        throw absent(`protein in prediction set ${id}:`, accession);
      }
      return rows.map(presentPrediction);
    },
  );
  api.get(
    '/embeddings/prediction-sets/:id/go-terms',
    { schema: { params: predictionSetParams, querystring: termQuery, response: { 200: termsReply } } },
    async (request) => {
      const set = await required(db, request.params.id);
      const { limit } = request.query;
      const terms = await predictedTerms(db, set.number, limit);
      return presentTerms(terms, await predictedAspectTotals(db, set.number), limit);
    },
  );
}

/** A query for which nothing was predicted has an empty list; one that the set does not have is absent. */
async function hasProtein(db: RouteDeps['db'], setNumber: number, accession: string): Promise<boolean> {
  const { items } = await listPredictedProteins(db, setNumber, { search: accession, limit: 500, offset: 0 });
  return items.some((item) => item.protein_accession === accession);
}
