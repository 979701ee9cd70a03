import { answerRoutes } from '@kindred/contracts/resources/answers';
import { answerEnd } from '@kindred/kernels/combined';
import {
  otherReferences,
  searchedReference,
} from '../../../store/annotations/searched-reference.repository.js';
import { placeOf } from '../../../store/predictions/answer-place.repository.js';
import { answerOf, overviewOf } from '../../../store/predictions/answers.repository.js';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
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
      const { annotation_set_id } = answer;
      const isEmpty = answer.rows.terms.length === 0 && annotation_set_id !== null;
      const [[place], searched] = await Promise.all([
        placeOf(db, id, accession),
        isEmpty ? searchedOf(db, annotation_set_id) : null,
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
    { config: { madeOf: [...madeOf, 'go_slim'] } },
  );
}

/** Says which reference was searched in vain, and which others could be searched. */
async function searchedOf(db: RouteDeps['db'], annotationSetId: string) {
  const found = await searchedReference(db, annotationSetId);
  return found === undefined ? null : { ...found, others: await otherReferences(db, annotationSetId) };
}

const madeOf = ['annotation_set', 'go_term', 'prediction_set', 'prediction_set_protein', 'protein'] as const;
