import type { Reply } from '@kindred/client';
import { api } from './client.js';

/** A file of another program's terms that is kept with a run. */
export type OtherFile = Reply<'GET', '/query-sets/:id/stated-terms'>[number];
/** A page of proteins with what the run and other programs say of them. */
export type ComparisonPage = Reply<'GET', '/embeddings/prediction-sets/:id/stated-terms'>;

export const getOtherFiles = (querySetId: string) =>
  api.get('/query-sets/:id/stated-terms', { params: { id: querySetId } });
export const removeOtherFile = (querySetId: string, program: string) =>
  api.delete('/query-sets/:id/stated-terms/:program', { params: { id: querySetId, program } });
/** Adds a file; without a name of the program, it gets that of its format. */
export function addOtherFile(querySetId: string, file: File, program: string): Promise<OtherFile> {
  const form = new FormData();
  if (program !== '') form.set('program', program);
  form.set('file', file, file.name);
  return api.post('/query-sets/:id/stated-terms', { params: { id: querySetId }, form });
}

/** Yields what the run and other programs say of all proteins, page by page. */
export async function* comparisonPages(id: string, signal?: AbortSignal): AsyncGenerator<ComparisonPage> {
  for (let after: string | undefined; ; ) {
    const page = await api.get('/embeddings/prediction-sets/:id/stated-terms', {
      params: { id },
      query: { after },
      ...(signal === undefined ? {} : { signal }),
    });
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
}
export const getComparison = (id: string, accession: string) =>
  api.get('/embeddings/prediction-sets/:id/stated-terms', { params: { id }, query: { accession } });
