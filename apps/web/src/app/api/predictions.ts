import type { Input, Reply } from '@kindred/client';
import type { Against } from '../../shared/against.js';
import { hasStatus } from '@kindred/client';
import type { DeletableTable, DependentRows, Dependents } from '@kindred/contracts/resources/dependents';
import { api, pageOrNone } from './client.js';

export type PredictionSet = Reply<'GET', '/embeddings/prediction-sets'>[number];
export type PredictionSetDetail = Reply<'GET', '/embeddings/prediction-sets/:id'>;

/** Known and predicted terms of one protein. */
export type Answer = Reply<'GET', '/embeddings/prediction-sets/:id/proteins/:accession/answer'>;

/** The parts of the score of one term. */
export type TermEvidence = Reply<
  'GET',
  '/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence'
>;

/** A page of the short answers for all proteins. */
export type Overview = Reply<'GET', '/embeddings/prediction-sets/:id/overview'>;

export const listPredictionSets = (after?: string) =>
  pageOrNone(api.page('/embeddings/prediction-sets', { query: { limit: 50, after } }));
export const getPredictionSet = (id: string) =>
  api.get('/embeddings/prediction-sets/:id', { params: { id } });
export const getAnswer = (id: string, accession: string, all: boolean) =>
  api.get('/embeddings/prediction-sets/:id/proteins/:accession/answer', {
    params: { id, accession },
    query: { all: all ? 'true' : undefined },
  });
/** Returns the accession of the first protein of a run. */
export async function getFirstProtein(id: string): Promise<string | undefined> {
  const where = { params: { id }, query: { limit: 1 } };
  const { items } = await api.get('/embeddings/prediction-sets/:id/proteins', where);
  return items[0]?.accession;
}
/** Gets the evidence of a term; with `alignment` also the alignment with that source protein. */
export const getTermEvidence = (id: string, accession: string, goId: string, alignment?: string) =>
  api.get('/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence', {
    params: { id, accession, go_id: goId },
    query: { alignment },
  });
/** The number of proteins of one page of an overview, so small that the service and the page can do other work between two pages. */
const overviewProteins = 500;

/** Yields the pages of the overview, one after the other; with `slim` they have the terms of that GO slim. */
export async function* overviewPages(
  id: string,
  slim: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Overview> {
  for (let after: string | undefined; ; ) {
    const page = await api.get('/embeddings/prediction-sets/:id/overview', {
      params: { id },
      query: { after, slim, limit: overviewProteins },
      signal,
    });
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
}

export type Enrichment = Reply<'POST', '/embeddings/prediction-sets/:id/enrichment'>;
/** Fetches all terms, however unlikely, in which some proteins of a run differ from the whole run or from the reference. */
export const getEnrichment = (
  id: string,
  question: { accessions: string[]; compare_with: Against | undefined; slim: string | undefined },
  signal: AbortSignal,
) =>
  api.post('/embeddings/prediction-sets/:id/enrichment', {
    params: { id },
    body: { ...question, max_rate: 1, limit: 10_000 },
    signal,
  });

export const renameRun = (querySetId: string, name: string) =>
  api.patch('/query-sets/:id', { params: { id: querySetId }, body: { name } });
export const shareRun = (querySetId: string, visibility: PredictionSet['visibility']) =>
  api.patch('/query-sets/:id', { params: { id: querySetId }, body: { visibility } });
/** Deletes a run and its upload. An upload that belongs to another visitor stays. */
export async function deleteRun({ id, query_set_id: uploadId }: PredictionSetDetail): Promise<void> {
  await api.delete('/embeddings/prediction-sets/:id', { params: { id } });
  if (uploadId !== null) await ofOwner(api.delete('/query-sets/:id', { params: { id: uploadId } }));
}

/** Lists the rows that depend on a run and on its upload. */
export async function dependentsOfRun(run: PredictionSetDetail): Promise<Dependents> {
  const { id, query_set_id: uploadId } = run;
  const dependentsOf = (kind: DeletableTable, row: string) =>
    api.get('/dependents/:kind/:id', { params: { kind, id: row } });
  const own = await dependentsOf('prediction_set', id);
  const upload = uploadId === null ? null : await ofOwner(dependentsOf('query_set', uploadId));
  if (upload === null) return own;
  return {
    first: [...own.first, ...upload.first],
    deleted: [...own.deleted, ...upload.deleted],
    kept: [...own.kept, ...upload.kept.flatMap(otherRuns)],
  };
}

/** Leaves out the run itself, which is one of the runs of its upload, because all rows have its name. */
function otherRuns(rows: DependentRows): DependentRows[] {
  const count = rows.count - 1;
  if (rows.kind !== 'prediction_set') return [rows];
  const words = `other ${count === 1 ? 'run' : 'runs'} of the same upload`;
  return count === 0 ? [] : [{ ...rows, count, words, names: [] }];
}

/** Returns null if the row belongs to another visitor, or is gone. */
async function ofOwner<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (hasStatus(error, 403) || hasStatus(error, 404)) return null;
    throw error;
  });
}
/** Gives a thumbs-up, with words if there are any; everyone can read them. */
export const giveFeedback = (comment: string) =>
  api.post('/support', { body: { comment: comment.trim() === '' ? null : comment } });
/** Fetches the sequences of a run as they were uploaded. */
export const getUploadedFasta = async (querySetId: string) =>
  (await api.download('/query-sets/:id/sequences', { params: { id: querySetId } })).text();

export const exportAddress = (
  id: string,
  query: Input<'GET', '/embeddings/prediction-sets/:id/export'>['query'],
) => api.address('/embeddings/prediction-sets/:id/export', { params: { id }, query });
export const predictionsTsv = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/predictions.tsv', { params: { id } });
export const predictionsCafa = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/predictions-cafa.tsv', { params: { id } });
