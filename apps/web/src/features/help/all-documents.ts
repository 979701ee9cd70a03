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
