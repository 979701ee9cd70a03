import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  getAnswer,
  getPredictedProteins,
  getPredictions,
  getPredictionSet,
  getQueryEntries,
  type PredictionSetDetail,
} from '../../app/api/predictions.js';
import { getAncestorEdges, getKnownTerms } from '../../app/api/reference-data.js';
import { foldBroader, groupByTerm } from './term-calls.js';

/** Headers are read with the whole query set; of larger sets the list shows accessions alone. */
const maxNamedProteins = 2000;

export function usePredictionSet(id: string) {
  return useQuery({ queryKey: ['prediction-set', id], queryFn: () => getPredictionSet(id) });
}

export function useProteins(setId: string, search: string) {
  return useInfiniteQuery({
    queryKey: ['predicted-proteins', setId, search],
    queryFn: ({ pageParam }) => getPredictedProteins(setId, search, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
    placeholderData: (before) => before,
  });
}

/** The protein that is shown until one is chosen: the first that has terms. */
export function useFirstProtein(setId: string): string | undefined {
  const items = useProteins(setId, '').data?.pages.flatMap((page) => page.items) ?? [];
  return (items.find((item) => item.go_count > 0) ?? items.at(0))?.accession;
}

/** FASTA headers by accession; empty where there is no query set, or it is large. */
export function useHeaders(set: PredictionSetDetail): ReadonlyMap<string, string> {
  const id = set.query_set_id;
  const entries = useQuery({
    queryKey: ['query-entries', id],
    queryFn: () => getQueryEntries(id as string),
    enabled: id !== null && set.protein_count <= maxNamedProteins,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(
    () => new Map((entries.data ?? []).map((entry) => [entry.accession, entry.header])),
    [entries.data],
  );
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

/** What is known of one protein and predicted for it. */
export function useAnswer(setId: string, accession: string, all: boolean) {
  return useQuery({
    queryKey: ['answer', setId, accession, all],
    queryFn: () => getAnswer(setId, accession, all),
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
