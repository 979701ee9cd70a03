import { ProblemError } from '@kindred/contracts';
import { experimentRunRoutes } from '@kindred/contracts/resources/experiment-runs';
import { changeExperimentRun, removeExperimentRun } from '../../../resources/experiment-runs.js';
import {
  type ExperimentRunRow,
  findExperimentRun,
  insertExperimentRun,
  listExperimentRuns,
} from '../../../store/records/experiment-runs.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { memberRoutes } from './members.js';
import { sendMlflow } from './mlflow.js';
import { presentRun, runDetail } from './present.js';

export function serveExperimentRuns(api: Api, deps: RouteDeps): void {
  readRoutes(api, deps);
  writeRoutes(api, deps);
  memberRoutes(api, deps);
}

function readRoutes(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  const required = async (id: string): Promise<ExperimentRunRow> => {
    const row = await findExperimentRun(db, id);
    if (row === undefined) throw absent('experiment run', id);
    return row;
  };
  serve(api, experimentRunRoutes.list, async (request, reply) => {
    const { status, limit, after } = request.query;
    const page = await listExperimentRuns(db, { reader: readerOf(request), status }, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map((row) => presentRun(row, request.principal));
  });
  serve(api, experimentRunRoutes.show, async (request) =>
    runDetail(deps, await required(request.params.run_id), request.principal),
  );
  serve(api, experimentRunRoutes.mlflow, async (request, reply) => {
    const run = await runDetail(deps, await required(request.params.run_id), request.principal);
    return sendMlflow(reply, run);
  });
}

function writeRoutes(api: Api, { db, settings }: RouteDeps): void {
  serve(api, experimentRunRoutes.create, async (request, reply) => {
    const owner = request.principal.user?.id ?? null;
    const row = await insertExperimentRun(db, {
      ...request.body,
      visibility: request.body.visibility ?? settings.defaultVisibility,
      owner_user_id: owner,
    });
    if (row === null)
      throw new ProblemError(
        'already_exists',
        `An experiment run named ${JSON.stringify(request.body.name)} exists. Choose another name.`,
      );
    reply.code(201).header('location', `/v1/experiment-runs/${row.id}`);
    return presentRun(row, request.principal);
  });
  serve(api, experimentRunRoutes.change, async (request) => {
    const { run_id: id } = request.params;
    const { principal, body } = request;
    return presentRun(await changeExperimentRun(db, { id, principal }, body), principal);
  });
  serve(api, experimentRunRoutes.remove, async (request, reply) => {
    const { run_id: id } = request.params;
    await removeExperimentRun(db, { id, principal: request.principal });
    return reply.code(204).send(null);
  });
}
