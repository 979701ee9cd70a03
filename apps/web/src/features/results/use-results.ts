import { useQuery } from '@tanstack/react-query';
import {
  getAnswer,
  getOverview,
  getPredictions,
  getPredictionSet,
  type PredictionSetDetail,
} from '../../app/api/predictions.js';
import { getAncestorEdges, getKnownTerms } from '../../app/api/reference-data.js';
import { tableOf } from './overview-model.js';
import { foldBroader, groupByTerm, impliedTerms } from './term-calls.js';

export function usePredictionSet(id: string) {
  return useQuery({ queryKey: ['prediction-set', id], queryFn: () => getPredictionSet(id) });
}

/** The answers for all proteins of a run; read once, as a complete run does not change. */
export function useOverview(set: Pick<PredictionSetDetail, 'id' | 'status'> | undefined) {
  return useQuery({
    queryKey: ['overview', set?.id, set?.status],
    queryFn: async ({ signal }) => tableOf(await getOverview(set?.id ?? '', signal)),
    enabled: set !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The terms of one protein, those that a more specific one implies marked. */
export function useTermCalls(set: PredictionSetDetail, accession: string) {
  return useQuery({
    queryKey: ['term-calls', set.id, accession],
    queryFn: async () => {
      const calls = groupByTerm(await getPredictions(set.id, accession));
      const ids = calls.map((call) => call.goId);
      const edges = ids.length === 0 ? [] : await getAncestorEdges(set.ontology_snapshot_id, ids);
      return foldBroader(calls, edges);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What is known of one protein and predicted for it, and which of its terms more specific ones imply. */
export function useAnswer(set: PredictionSetDetail, accession: string, all: boolean) {
  return useQuery({
    queryKey: ['answer', set.id, accession, all],
    queryFn: async () => {
      const answer = await getAnswer(set.id, accession, all);
      const ids = answer.terms.map((term) => term.go_id);
      const edges = ids.length === 0 ? [] : await getAncestorEdges(set.ontology_snapshot_id, ids);
      return { ...answer, implied: impliedTerms(ids, edges) as ReadonlySet<string> };
    },
    placeholderData: (before) => (before?.accession === accession ? before : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Terms that a protein of the catalogue is annotated with already. */
export function useKnownTerms(set: PredictionSetDetail, accession: string, inCatalogue: boolean) {
  return useQuery({
    queryKey: ['known-terms', set.annotation_set_id, accession],
    queryFn: () => getKnownTerms(accession, set.annotation_set_id ?? ''),
    enabled: inCatalogue && set.annotation_set_id !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
