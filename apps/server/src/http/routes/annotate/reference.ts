import { annotateRoutes } from '@kindred/contracts/resources/annotate';
import { setAnnotateDefaults } from '../../../store/annotations/annotate-reference.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { chooseReference } from './choice.js';

/** Serves the reference and the model of annotations for callers who name none. */
export function serveAnnotateReference(api: Api, { db }: RouteDeps): void {
  serve(api, annotateRoutes.reference, (request) =>
    chooseReference(db, { taxonId: request.query.taxon_id ?? null }),
  );
  serve(api, annotateRoutes.setReference, async (request) => {
    await requireReferences(db, request.body, '');
    await setAnnotateDefaults(db, request.body);
    return request.body;
  });
}
