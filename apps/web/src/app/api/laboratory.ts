import type { Reply } from '@kindred/client';
import { api } from './client.js';

export type Experiment = Reply<'GET', '/experiment-runs/:run_id'>;
export type EvaluationSet = Reply<'GET', '/annotations/evaluation-sets/:id'>;
export type Matrix = Reply<'GET', '/benchmark/matrix'>;

export const getExperiment = (id: string) => api.get('/experiment-runs/:run_id', { params: { run_id: id } });
export const getEvaluationSet = (id: string) =>
  api.get('/annotations/evaluation-sets/:id', { params: { id } });
export type EvaluationResult = Reply<'GET', '/annotations/evaluation-sets/:id/results/:rid'>;
export const getEvaluationResult = (id: string, rid: string) =>
  api.get('/annotations/evaluation-sets/:id/results/:rid', { params: { id, rid } });
export type ResultComparison = Reply<'GET', '/annotations/evaluation-sets/:id/results/:rid/compare'>;
/** Compares two results: the first minus the other, on the same resampled proteins. */
export const compareResults = (id: string, rid: string, other: string) =>
  api.get('/annotations/evaluation-sets/:id/results/:rid/compare', {
    params: { id, rid },
    query: { with: other },
  });
/** Fetches the figures of one evaluation set, or of all. */
export const getMatrix = (evaluationSetId: string | undefined) =>
  api.get('/benchmark/matrix', { query: { evaluation_set_id: evaluationSetId } });

export type Reranker = Reply<'POST', '/reranker-models/import'>;
/** Registers a trained model by its three files. */
export function importReranker(
  files: ReadonlyMap<string, File>,
  { name, force }: { name: string; force: boolean },
): Promise<Reranker> {
  const form = new FormData();
  for (const [part, file] of files) form.set(part, file);
  if (name !== '') form.set('name', name);
  if (force) form.set('force', 'true');
  return api.post('/reranker-models/import', { form });
}
