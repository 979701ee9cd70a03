import { experimentRunRoutes } from '@kindred/contracts/resources/experiment-runs';
import { addMembers, removeMember } from '../../../resources/experiment-runs.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { runDetail } from './present.js';

export function memberRoutes(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  serve(api, experimentRunRoutes.addMembers, async (request) => {
    const { params, principal, body } = request;
    return runDetail(deps, await addMembers(db, { id: params.run_id, principal }, body), principal);
  });
  serve(api, experimentRunRoutes.removeMember, async (request, reply) => {
    const { params, principal } = request;
    await removeMember(db, { id: params.run_id, principal }, params.member_id);
    return reply.code(204).send(null);
  });
}
