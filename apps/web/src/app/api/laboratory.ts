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
/** Registers a trained model by its three files, or by two and the place of the third in the store of the service. */
export async function importReranker(
  files: ReadonlyMap<string, File>,
  { name, force, place }: { name: string; force: boolean; place: string | null },
): Promise<Reranker> {
  const choices = { ...(name === '' ? {} : { name }), force };
  if (place !== null) {
    const textOf = async (part: string) => (await files.get(part)?.text()) ?? '';
    const body = { artifact_uri: place, spec_yaml: await textOf('spec.yaml'), ...choices };
    return api.post('/reranker-models/import-by-reference', {
      body: { ...body, run_json: runRecordIn(await textOf('run.json')) },
    });
  }
  const form = new FormData();
  for (const [part, file] of files) form.set(part, file);
  for (const [field, value] of Object.entries(choices)) form.set(field, String(value));
  return api.post('/reranker-models/import', { form });
}

/** Reads the record of a training run; the service says what is wrong with its fields. */
function runRecordIn(text: string): { run_id: string } {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`run.json is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

export type Dataset = Reply<'POST', '/datasets/import-by-reference'>;
/** Registers a dataset whose files are beside its manifest in the store of the service. */
export const importDataset = (body: {
  name: string;
  manifest_uri: string;
  force: boolean;
}): Promise<Dataset> => api.post('/datasets/import-by-reference', { body });
