import type { Reply } from '@kindred/client';
import { api, pageOrNone } from './client.js';

export type PredictionSet = Reply<'GET', '/embeddings/prediction-sets'>[number];
export type PredictionSetDetail = Reply<'GET', '/embeddings/prediction-sets/:id'>;
export type ProteinPage = Reply<'GET', '/embeddings/prediction-sets/:id/proteins'>;
export type PredictedProtein = ProteinPage['items'][number];
/** One term transferred from one donor. */
export type Prediction = Reply<'GET', '/embeddings/prediction-sets/:id/proteins/:accession'>[number];

/** What is known of one protein, and what is predicted. */
export type Answer = Reply<'GET', '/embeddings/prediction-sets/:id/proteins/:accession/answer'>;

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
export const getQueryEntries = async (id: string) =>
  (await api.get('/query-sets/:id', { params: { id } })).entries;

export const predictionsTsv = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/predictions.tsv', { params: { id } });
export const answersTsv = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/answers.tsv', { params: { id } });
export const predictionsCafa = (id: string) =>
  api.address('/embeddings/prediction-sets/:id/predictions-cafa.tsv', { params: { id } });
