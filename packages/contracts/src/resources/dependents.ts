import { z } from 'zod';
import { type DependentKind, dependentWords } from '../dependent-words.js';
import { type Route, routesOf } from '../route.js';
import { annotationSetRoutes } from './annotation-sets.js';
import { datasetRoutes } from './datasets.js';
import { embeddingConfigRoutes } from './embedding-configs.js';
import { evaluationSetRoutes } from './evaluation-sets.js';
import { experimentRunRoutes } from './experiment-runs.js';
import { jobRoutes } from './jobs.js';
import { predictionSetRoutes } from './prediction-sets.js';
import { querySetRoutes } from './query-sets.js';
import { referenceRoutes } from './references.js';
import { rerankerRoutes } from './rerankers.js';
import { scoringRoutes } from './scoring.js';
import { slimRoutes } from './slims.js';
import { userRoutes } from './users.js';

/** The limits of one count, and of the rows that are named. */
export const countedDependents = 10_000;
export const namedDependents = 5;

export const dependentKinds = Object.keys(dependentWords) as DependentKind[];

export const dependentRows = z.object({
  kind: z.enum(dependentKinds),
  words: z.string().meta({ description: 'What they are called, as many as they are', examples: ['runs'] }),
  count: z.int().min(1),
  more: z
    .boolean()
    .meta({ description: `There are more: the count stopped at ${countedDependents.toLocaleString('en')}` }),
  names: z.array(z.string()).meta({
    description: `Names of up to ${namedDependents} of them, newest first; those that the caller finds in no list have none`,
  }),
});
export type DependentRows = z.infer<typeof dependentRows>;

export const dependentsReply = z.object({
  first: z
    .array(dependentRows)
    .meta({ description: 'Delete these first: as long as they exist, DELETE answers 409 (in_use)' }),
  deleted: z.array(dependentRows).meta({ description: 'What is deleted with it' }),
  kept: z.array(dependentRows).meta({ description: 'What stays and no longer leads to it' }),
});
export type Dependents = z.infer<typeof dependentsReply>;

type Removal = Route & { method: 'DELETE'; params: z.ZodObject };

/** The DELETE routes of the kinds of rows that others may need, by table. */
export const removalRoutes = {
  annotation_set: annotationSetRoutes.remove,
  dataset: datasetRoutes.remove,
  embedding_config: embeddingConfigRoutes.remove,
  evaluation_result: evaluationSetRoutes.removeResult,
  evaluation_set: evaluationSetRoutes.remove,
  experiment_run: experimentRunRoutes.remove,
  go_slim: slimRoutes.remove,
  job: jobRoutes.remove,
  prediction_set: predictionSetRoutes.remove,
  query_set: querySetRoutes.remove,
  reference: referenceRoutes.remove,
  reranker_model: rerankerRoutes.remove,
  scoring_config: scoringRoutes.remove,
  user_account: userRoutes.remove,
} as const satisfies Record<string, Removal>;
export type DeletableTable = keyof typeof removalRoutes;
export const deletableTables = Object.keys(removalRoutes) as DeletableTable[];

/** Returns the parameter of the DELETE route that names the row: the last one of its path. */
export function rowParameter(table: DeletableTable): { name: string; schema: z.ZodType<string> } {
  const { path, params }: Removal = removalRoutes[table];
  const name = path.slice(path.lastIndexOf(':') + 1);
  return { name, schema: params.shape[name] as z.ZodType<string> };
}

export const dependentRoutes = routesOf('administration', {
  list: {
    method: 'GET',
    path: '/dependents/:kind/:id',
    floor: 'researcher',
    summary: 'What depends on a row: deleted with it, to be deleted before it, or left without it',
    access:
      'Refuses what the DELETE route of the row refuses, also by role, except that rows to delete first are listed and not refused.',
    refuses: [409],
    params: z.object({
      kind: z.enum(deletableTables),
      id: z.string().meta({ description: 'As the DELETE route of the row takes it' }),
    }),
    query: referenceRoutes.remove.query,
    reply: { 200: dependentsReply },
  },
});
