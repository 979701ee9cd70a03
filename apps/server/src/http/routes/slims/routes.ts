import { slimRoutes } from '@kindred/contracts/resources/slims';
import { deleteSlim, findSlim, listSlims } from '../../../store/ontology/slims.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { queueShortcut } from '../../submit.js';
import { presentSlim, presentSlimDetail } from './present.js';

export function serveSlims(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  serve(api, slimRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listSlims(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'loaded_at' });
    return page.rows.map(presentSlim);
  });
  serve(api, slimRoutes.show, async (request) => {
    const slim = await findSlim(db, request.params.id);
    if (slim === undefined) throw absent('GO slim', request.params.id);
    return presentSlimDetail(slim);
  });
  serve(api, slimRoutes.load, (request, reply) =>
    queueShortcut(deps, request, reply, { operation: 'load_go_slim', payload: request.body }),
  );
  serve(api, slimRoutes.remove, async (request) => {
    const { id } = request.params;
    if (!(await deleteSlim(db, id))) throw absent('GO slim', id);
    return { deleted: id };
  });
}
