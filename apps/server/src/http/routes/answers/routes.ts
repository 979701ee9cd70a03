import { answerRoutes } from '@kindred/contracts/resources/answers';
import { answerEnd } from '@kindred/kernels/combined';
import {
  otherReferences,
  type SearchedReference,
  searchedReference,
} from '../../../store/annotations/searched-reference.repository.js';
import { answerOf, overviewOf } from '../../../store/predictions/answers.repository.js';
import { findPredictionSet, placeOf } from '../../../store/predictions/prediction-sets.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { presentAnswer, presentOverview } from './present.js';

/** Serves the answer of a prediction set for each protein. */
export function serveAnswers(api: Api, { db, slims }: RouteDeps): void {
  const required = async (id: string) => {
    const set = await findPredictionSet(db, id);
    if (set === undefined) throw absent('prediction set', id);
    return set;
  };
  serve(
    api,
    answerRoutes.answer,
    async (request) => {
      const { id, accession } = request.params;
      const { all = false } = request.query;
      const answer = await answerOf(db, id, accession, { onlyAnswered: !all });
      if (answer === null) {
        await required(id);
        throw absent('query in this prediction set', accession);
      }
      const { annotation_set_ids } = answer;
      const isEmpty = answer.rows.terms.length === 0 && annotation_set_ids.length > 0;
      const [[place], searched] = await Promise.all([
        placeOf(db, id, accession),
        isEmpty ? searchedOf(db, annotation_set_ids) : null,
      ]);
      if (place === undefined) throw absent('prediction set', id);
      return { ...presentAnswer(answer.rows, all, answer.obsolete), ...place, searched };
    },
    { config: { madeOf: [...madeOf, 'taxon'] } },
  );
  serve(
    api,
    answerRoutes.overview,
    async (request) => {
      const set = await required(request.params.id);
      const { limit, after = null, ...choice } = request.query;
      const view = await slims.view(choice, set.ontology_snapshot_id);
      const page = await overviewOf(db, set, { after, limit }, answerEnd);
      return presentOverview(page, limit, view);
    },
    { config: { madeOf: [...madeOf, 'go_slim'], isLarge: true } },
  );
}

/** Says which references were searched in vain, and which others could be searched. */
async function searchedOf(db: RouteDeps['db'], ids: readonly string[]) {
  const references: SearchedReference[] = [];
  for (const id of ids) {
    const found = await searchedReference(db, id);
    if (found !== undefined) references.push(found);
  }
  return references.length === 0 ? null : { references, others: await otherReferences(db, ids) };
}

const madeOf = ['annotation_set', 'go_term', 'prediction_set', 'prediction_set_protein', 'protein'] as const;
