import { api, rowsOrNone } from './client.js';

/** Of the reference that owns the annotation set, the ids of the models that it has vectors of; null: a set that was loaded by itself. */
export async function modelsOfReference(annotationSetId: string): Promise<ReadonlySet<string> | null> {
  const references = await rowsOrNone(api.get('/references', { query: { limit: 100 } }));
  const own = references.find((one) => one.annotation_set_id === annotationSetId);
  return own === undefined ? null : new Set(own.vectors.map((vectors) => vectors.embedding_config_id));
}
