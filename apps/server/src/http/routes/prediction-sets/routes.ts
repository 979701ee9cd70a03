import {
  type predictBody,
  predictionSetRoutes,
  predictPayload,
} from '@kindred/contracts/resources/prediction-sets';
import { removePredictionSet } from '../../../resources/prediction-sets.js';
import {
  findPredictionSet,
  listPredictionSets,
  termsOfSet,
} from '../../../store/predictions/prediction-sets.repository.js';
import {
  countKinds,
  distinctTerms,
  isQueryOfSet,
  listPredictedProteins,
  predictedAspectTotals,
  predictedTerms,
  predictionCells,
  predictionTotals,
} from '../../../store/predictions/predictions.repository.js';
import type { z } from 'zod';
import { linkNext, linkNextOffset, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { absent } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { queueShortcut } from '../../submit.js';
import { parseOrRefuse } from '../../validation.js';
import { idsOfReference } from '../annotate/choice.js';
import { kindsOf } from '../../slims.js';
import { predictionDownloads } from './downloads.js';
import { predictionsJson } from './prediction-json.js';
import {
  presentPredictionSet,
  presentPredictionSetDetail,
  presentSlimTerms,
  presentTerms,
} from './present.js';

export function servePredictionSets(api: Api, deps: RouteDeps): void {
  serve(api, predictionSetRoutes.predict, async (request, reply) => {
    const payload = parseOrRefuse(predictPayload, await withReference(deps.db, request.body));
    await requireReferences(deps.db, payload, '');
    return queueShortcut(deps, request, reply, { operation: 'predict_go_terms', payload });
  });
  setRoutes(api, deps);
  contentRoutes(api, deps);
  predictionDownloads(api, deps);
}

/**
 * Replaces the reference that the body names by the ids of its parts.
 * @throws ProblemError validation_failed, conflict
 */
async function withReference(db: RouteDeps['db'], body: z.infer<typeof predictBody>) {
  const { reference: choice, ...payload } = body;
  return choice === undefined ? payload : { ...payload, ...(await idsOfReference(db, choice, payload)) };
}

async function required(db: RouteDeps['db'], id: string) {
  const set = await findPredictionSet(db, id);
  if (set === undefined) throw absent('prediction set', id);
  return set;
}

function setRoutes(api: Api, { db }: RouteDeps): void {
  serve(api, predictionSetRoutes.list, async (request, reply) => {
    const { limit, after, status, query_set_id: querySetId } = request.query;
    const choice = { limit, after: readAfter(after), status, querySetId };
    const page = await listPredictionSets(db, readerOf(request), choice);
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentPredictionSet);
  });
  serve(api, predictionSetRoutes.show, async (request) => {
    const set = await required(db, request.params.id);
    const totals = await predictionTotals(db, set.number);
    const aspects = await predictedAspectTotals(db, set.number);
    return presentPredictionSetDetail(set, totals, aspects, request.principal);
  });
  serve(api, predictionSetRoutes.remove, async (request) => {
    const set = await required(db, request.params.id);
    return { deleted: set.id, ...(await removePredictionSet(db, set)) };
  });
}

function contentRoutes(api: Api, { db, slims }: RouteDeps): void {
  serve(api, predictionSetRoutes.proteins, async (request, reply) => {
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
  });
  serve(api, predictionSetRoutes.ofProtein, async (request, reply) => {
    const { id, accession } = request.params;
    const set = await required(db, id);
    const rows = await predictionCells(db, { number: set.number, terms: termsOfSet(set) }, accession);
    if (rows.cells.length === 0 && !(await isQueryOfSet(db, set.number, accession))) {
      throw absent(`protein in prediction set ${id}:`, accession);
    }
    return reply.type('application/json; charset=utf-8').send(predictionsJson(rows));
  });
  serve(
    api,
    predictionSetRoutes.terms,
    async (request) => {
      const set = await required(db, request.params.id);
      const { limit, ...choice } = request.query;
      const view = await slims.view(choice, set.ontology_snapshot_id);
      if (view !== null) {
        const counts = await countKinds(db, set, kindsOf(view, await distinctTerms(db, set.number)));
        return presentSlimTerms(counts, view, limit);
      }
      const terms = await predictedTerms(db, set.number, limit);
      return presentTerms(terms, await predictedAspectTotals(db, set.number), limit);
    },
    { config: { isLarge: true } },
  );
}
