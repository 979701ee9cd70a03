import { testText } from '@kindred/contracts/reference-words';
import { hasStatus } from './problem.js';
import { api, rowsOrNone } from './client.js';

/** Fetches the ids of the models that the reference of the annotation set has vectors of; null if the set was loaded by itself. */
export async function modelsOfReference(annotationSetId: string): Promise<ReadonlySet<string> | null> {
  const references = await rowsOrNone(api.get('/references', { query: { limit: 100 } }));
  const own = references.find((one) => one.annotation_set_id === annotationSetId);
  return own === undefined ? null : new Set(own.vectors.map((vectors) => vectors.embedding_config_id));
}

/** Fetches what the tests of references found, by their names; those that were never tested, or are deleted, have none. */
export async function testsOfReferences(
  marks: readonly { name: string; version: string }[],
): Promise<{ name: string; text: string }[]> {
  const found = await Promise.all(
    marks.map(async (mark) => {
      const name = `${mark.name}@${mark.version}`;
      try {
        const { reliability } = await api.get('/references/:reference', { params: { reference: name } });
        const text = testText(reliability);
        return text === null ? [] : [{ name, text }];
      } catch (error) {
        if (hasStatus(error, 404)) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}
