import { z } from 'zod';
import { type DependentKind, dependentWords } from '../dependent-words.js';
import type { Route } from '../route.js';
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

/** Limits of one count, and of the rows that are named. */
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

/** The path of what depends on the rows that a DELETE route deletes. */
export const dependentsPath = <const Path extends string>(path: Path) => `${path}/dependents` as const;

type Removal = Route & { method: 'DELETE'; params: z.ZodType };

/** Route for the callers of the DELETE route, with its parameters. */
function beforeRemoval<const R extends Removal>({ path, floor, tag, params, access }: R, what: string) {
  const same = 'Refuses what DELETE refuses, except that rows to delete first are listed and not refused.';
  return {
    method: 'GET',
    path: dependentsPath<R['path']>(path),
    floor: floor as R['floor'],
    tag,
    summary: `What depends on ${what}: deleted with it, to be deleted before it, or left without it`,
    access: access === undefined ? same : `${access} ${same}`,
    refuses: [409],
    params: params as R['params'],
    reply: { 200: dependentsReply },
  } as const;
}

/** Routes by the table of the row that is to be deleted. */
export const dependentRoutes = {
  annotation_set: beforeRemoval(annotationSetRoutes.remove, 'an annotation set'),
  dataset: beforeRemoval(datasetRoutes.remove, 'a dataset'),
  embedding_config: beforeRemoval(embeddingConfigRoutes.remove, 'an embedding configuration'),
  evaluation_result: beforeRemoval(evaluationSetRoutes.removeResult, 'an evaluation result'),
  evaluation_set: beforeRemoval(evaluationSetRoutes.remove, 'an evaluation set'),
  experiment_run: beforeRemoval(experimentRunRoutes.remove, 'an experiment run'),
  go_slim: beforeRemoval(slimRoutes.remove, 'a GO slim'),
  job: beforeRemoval(jobRoutes.remove, 'a job'),
  prediction_set: beforeRemoval(predictionSetRoutes.remove, 'a prediction set'),
  query_set: beforeRemoval(querySetRoutes.remove, 'a query set'),
  reference: {
    ...beforeRemoval(referenceRoutes.remove, 'a reference'),
    query: referenceRoutes.remove.query,
  },
  reranker_model: beforeRemoval(rerankerRoutes.remove, 'a re-ranker'),
  scoring_config: beforeRemoval(scoringRoutes.remove, 'a scoring configuration'),
  user_account: beforeRemoval(userRoutes.remove, 'an account'),
} as const;
export type DeletableTable = keyof typeof dependentRoutes;
