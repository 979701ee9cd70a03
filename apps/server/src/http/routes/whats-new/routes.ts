import { whatsNewRoutes } from '@kindred/contracts/resources/whats-new';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { whatsNewOf } from '../../../store/predictions/whats-new.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';

/** Serves what is known of the proteins of a run by annotations since a day. */
export function serveWhatsNew(api: Api, { db }: RouteDeps): void {
  serve(
    api,
    whatsNewRoutes.whatsNew,
    async (request) => {
      const set = await findPredictionSet(db, request.params.id);
      if (set === undefined) throw absent('prediction set', request.params.id);
      const { since, electronic = true, limit } = request.query;
      return { ...(await whatsNewOf(db, set.number, { since, electronic, limit })), electronic };
    },
    {
      config: {
        madeOf: ['annotation_set', 'prediction_set', 'prediction_set_protein', 'protein'],
        isLarge: true,
      },
    },
  );
}
