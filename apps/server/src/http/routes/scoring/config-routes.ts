import { ProblemError } from '@kindred/contracts';
import { scoringPresets } from '@kindred/kernels/scoring';
import { scoringRoutes } from '@kindred/contracts/resources/scoring';
import {
  deleteScoringConfig,
  findScoringConfig,
  insertScoringConfig,
  listScoringConfigs,
} from '../../../store/evaluation/scoring-configs.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { presentConfig } from './present.js';

export function scoringConfigRoutes(api: Api, deps: RouteDeps): void {
  readRoutes(api, deps);
  writeRoutes(api, deps);
}

function readRoutes(api: Api, { db }: RouteDeps): void {
  serve(api, scoringRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listScoringConfigs(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentConfig);
  });
  serve(api, scoringRoutes.show, async (request) => {
    const row = await findScoringConfig(db, request.params.id);
    if (row === undefined) throw absent('scoring configuration', request.params.id);
    return presentConfig(row);
  });
}

function writeRoutes(api: Api, { db }: RouteDeps): void {
  serve(api, scoringRoutes.create, async (request, reply) => {
    const { name } = request.body;
    const row = await insertScoringConfig(db, request.body);
    if (row === undefined) {
      throw new ProblemError(
        'already_exists',
        `A scoring configuration ${JSON.stringify(name)} exists. A configuration is never changed: choose another name.`,
      );
    }
    reply.code(201).header('location', `/v1/scoring/configs/${row.id}`);
    return presentConfig(row);
  });
  serve(api, scoringRoutes.createPresets, async (_request, reply) => {
    const created: string[] = [];
    for (const { name, description, recipe } of scoringPresets) {
      const values = { name, description, ...recipe, evidence_weights: null, params: {} };
      if ((await insertScoringConfig(db, values)) !== undefined) created.push(name);
    }
    reply.code(created.length > 0 ? 201 : 200);
    return { created };
  });
  serve(api, scoringRoutes.remove, async (request, reply) => {
    const { id } = request.params;
    if (!(await deleteScoringConfig(db, id))) throw absent('scoring configuration', id);
    return reply.code(204).send(null);
  });
}
