import { documentsOf } from './documents.js';

const texts = import.meta.glob<string>(
  [
    '../../../../../docs/tutorial/*.md',
    '../../../../../docs/how-to/*.md',
    '../../../../../docs/explanation/*.md',
    '../../../../../docs/reference/*.md',
  ],
  { query: '?raw', import: 'default', eager: true },
);

export const documents = documentsOf(texts);

const pictures = import.meta.glob<string>(
  ['../../../../../docs/images/answers/*.webp', '../../../../../docs/images/growth/*.svg'],
  { query: '?url', import: 'default', eager: true },
);

/** Returns the address of a picture that a document shows by its path from the document's folder. */
export function pictureOf(source: string): string | undefined {
  return pictures[source.replace('../', '../../../../../docs/')];
}
