import type { Input, Reply } from '@kindred/client';
import { api, pageOrNone } from './client.js';

export type PredictionSet = Reply<'GET', '/embeddings/prediction-sets'>[number];
export type PredictionSetDetail = Reply<'GET', '/embeddings/prediction-sets/:id'>;
/** One term transferred from one donor. */
export type Prediction = Reply<'GET', '/embeddings/prediction-sets/:id/proteins/:accession'>[number];

/** What is known of one protein, and what is predicted. */
export type Answer = Reply<'GET', '/embeddings/prediction-sets/:id/proteins/:accession/answer'>;

/** A page of the answers for all proteins in short. */
export type Overview = Reply<'GET', '/embeddings/prediction-sets/:id/overview'>;

export const proteinsPerPage = 100;

export const listPredictionSets = (after?: string) =>
  pageOrNone(api.page('/embeddings/prediction-sets', { query: { limit: 50, after } }));
export const getPredictionSet = (id: string) =>
  api.get('/embeddings/prediction-sets/:id', { params: { id } });
export const getPredictedProteins = (id: string, search: string, offset: number) =>
  api.get('/embeddings/prediction-sets/:id/proteins', {
    params: { id },
    query: { search: search.trim() === '' ? undefined : search.trim(), limit: proteinsPerPage, offset },
  });
export const getPredictions = (id: string, accession: string) =>
  api.get('/embeddings/prediction-sets/:id/proteins/:accession', { params: { id, accession } });
export const getAnswer = (id: string, accession: string, all: boolean) =>
  api.get('/embeddings/prediction-sets/:id/proteins/:accession/answer', {
    params: { id, accession },
    query: { all: all ? 'true' : undefined },
  });
/** All pages of the overview, one after the other. */
export async function getOverview(id: string, signal: AbortSignal): Promise<Overview[]> {
  const pages: Overview[] = [];
  for (let after: string | undefined; ; ) {
    const page = await api.get('/embeddings/prediction-sets/:id/overview', {
      params: { id },
      query: { after },
      signal,
    });
    pages.push(page);
    if (page.next === null) return pages;
    after = page.next;
  }
}

export const renameRun = (querySetId: string, name: string) =>
  api.patch('/query-sets/:id', { params: { id: querySetId }, body: { name } });
export const shareRun = (querySetId: string, visibility: PredictionSet['visibility']) =>
  api.patch('/query-sets/:id', { params: { id: querySetId }, body: { visibility } });
export const deletePredictionSet = (id: string) =>
  api.delete('/embeddings/prediction-sets/:id', { params: { id } });
export const deleteQuerySet = (id: string) => api.delete('/query-sets/:id', { params: { id } });
/** The sequences of a run as they were uploaded. */
export const getUploadedFasta = async (querySetId: string) =>
  (await api.download('/query-sets/:id/sequences', { params: { id: querySetId } })).text();

export const exportAddress = (
  id: string,
  query: Input<'GET', '/embeddings/prediction-sets/:id/export'>['query'],
) => api.address('/embeddings/prediction-sets/:id/export', { params: { id }, query });
export const predictionsTsv = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/predictions.tsv', { params: { id } });
export const answersTsv = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/answers.tsv', { params: { id } });
export const predictionsCafa = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/predictions-cafa.tsv', { params: { id } });
