import { testsOfReferences } from '@kindred/client/reference-tests';
import type { PredictionSetDetail } from './predictions.js';
import { hasStatus } from './problem.js';
import { api, rowsOrNone } from './client.js';

/** Fetches the ids of the models that the reference of the annotation set has vectors of; null if the set was loaded by itself. */
export async function modelsOfReference(annotationSetId: string): Promise<ReadonlySet<string> | null> {
  const references = await rowsOrNone(api.get('/references', { query: { limit: 100 } }));
  const own = references.find((one) => one.annotation_set_id === annotationSetId);
  return own === undefined ? null : new Set(own.vectors.map((vectors) => vectors.embedding_config_id));
}

/** Fetches what the tests of the references of a run found. */
export const testsOfRun = (set: PredictionSetDetail) =>
  testsOfReferences(api, set, (error) => hasStatus(error, 404));
