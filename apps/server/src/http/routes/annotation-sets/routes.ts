import { annotationSetRoutes } from '@kindred/contracts/resources/annotation-sets';
import { removeAnnotationSet } from '../../../resources/annotation-sets.js';
import { findAnnotationSet, listAnnotationSets } from '../../../store/annotations/annotations.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { queueShortcut } from '../../submit.js';
import { presentSet, presentSetDetail } from './present.js';

export function serveAnnotationSets(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  serve(api, annotationSetRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listAnnotationSets(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentSet);
  });
  serve(api, annotationSetRoutes.show, async (request) => {
    const row = await findAnnotationSet(db, request.params.id);
    if (row === undefined) throw absent('annotation set', request.params.id);
    return presentSetDetail(row);
  });
  serve(api, annotationSetRoutes.remove, async (request) => {
    const { id } = request.params;
    return { deleted: id, ...(await removeAnnotationSet(db, id)) };
  });
  serve(api, annotationSetRoutes.loadGoa, async (request, reply) => {
    await requireReferences(db, request.body, '');
    return queueShortcut(deps, request, reply, {
      operation: 'load_goa_annotations',
      payload: request.body,
    });
  });
  serve(api, annotationSetRoutes.loadQuickgo, async (request, reply) => {
    await requireReferences(db, request.body, '');
    return queueShortcut(deps, request, reply, {
      operation: 'load_quickgo_annotations',
      payload: request.body,
    });
  });
}
