import type { Input, Reply } from '@kindred/client';
import type { Aspect } from '@kindred/contracts';
import type { Against } from '../../shared/against.js';
import { hasStatus } from '@kindred/client';
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

/** The parts of a protein that its sources cover, and its signatures of InterPro. */
export type Coverage = Reply<'GET', '/embeddings/prediction-sets/:id/proteins/:accession/coverage'>;

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
export const getCoverage = (id: string, accession: string) =>
  api.get('/embeddings/prediction-sets/:id/proteins/:accession/coverage', { params: { id, accession } });
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

export type ProteomeMatrix = Reply<'POST', '/embeddings/prediction-sets/matrix'>;
/** Puts the proteomes of several runs side by side: the terms that differ most surely. */
export const getProteomeMatrix = (
  ids: readonly string[],
  choice: { slim: string | undefined; aspect: Aspect | undefined },
  signal: AbortSignal,
) =>
  api.post('/embeddings/prediction-sets/matrix', {
    body: { ...choice, prediction_set_ids: ids as never, limit: 1000 },
    signal,
  });

export type WhatsNew = Reply<'GET', '/embeddings/prediction-sets/:id/whats-new'>;
/** The number of new annotations that the page asks for, and its file has. */
const mostNew = 20_000;
/** Gets the annotations of the proteins of a run since a day; without one, of the last year of the reference. */
export const getWhatsNew = (
  id: string,
  { since, electronic }: { since: string | undefined; electronic: boolean },
  signal: AbortSignal,
) =>
  api.get('/embeddings/prediction-sets/:id/whats-new', {
    params: { id },
    query: { since, electronic: electronic ? undefined : 'false', limit: mostNew },
    signal,
  });

export const renameRun = (querySetId: string, name: string) =>
  api.patch('/query-sets/:id', { params: { id: querySetId }, body: { name } });
export const shareRun = (querySetId: string, visibility: PredictionSet['visibility']) =>
  api.patch('/query-sets/:id', { params: { id: querySetId }, body: { visibility } });
/** A 403 or 404 means that the row belongs to another visitor, or is gone. */
const isNotOurs = (error: unknown) => hasStatus(error, 403) || hasStatus(error, 404);
export const deleteRun = async (run: PredictionSetDetail) =>
  (await import('@kindred/client/runs')).deleteRun(api, run, isNotOurs);
export const dependentsOfRun = async (run: PredictionSetDetail) =>
  (await import('@kindred/client/runs')).dependentsOfRun(api, run, isNotOurs);
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
