import { skipToken, useQuery } from '@tanstack/react-query';
import {
  getAnswer,
  getFirstProtein,
  getPredictionSet,
  getTermEvidence,
  overviewPages,
  type PredictionSetDetail,
} from '../../app/api/predictions.js';
import { getAncestry, getTerm } from '../../app/api/reference-data.js';
import { OverviewBuilder } from './overview-model.js';
import { pathToRoot } from './ancestry.js';

export function usePredictionSet(id: string) {
  return useQuery({ queryKey: ['prediction-set', id], queryFn: () => getPredictionSet(id) });
}

type Run = Pick<PredictionSetDetail, 'id' | 'status'>;

/**
 * Fetches the answers for all proteins of a run, with `slim` in its terms. They are fetched once, because a complete run does not change.
 */
export function useOverview(set: Run | undefined, slim?: string) {
  return useQuery({
    queryKey: ['overview', set?.id, set?.status, slim],
    queryFn: async ({ signal, client }) => {
      const builder = new OverviewBuilder();
      for await (const page of overviewPages(set?.id ?? '', slim, signal)) {
        builder.add(page);
        client.setQueryData(readKey(set, slim), builder.count);
      }
      return builder.table();
    },
    enabled: set !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // The table stays until that of another slim is there, so that the choice keeps the focus.
    placeholderData: (before, query) => (query?.queryKey[1] === set?.id ? before : undefined),
  });
}

const readKey = (set: Run | undefined, slim: string | undefined) => ['overview-read', set?.id, slim];

/** Returns how many proteins of an overview have arrived. */
export function useOverviewRead(set: Run, slim: string | undefined): number {
  const read = useQuery({ queryKey: readKey(set, slim), queryFn: () => 0, enabled: false });
  return read.data ?? 0;
}

/** Fetches the known and predicted terms of one protein. */
export function useAnswer(set: PredictionSetDetail, accession: string | undefined, all: boolean) {
  return useQuery({
    queryKey: ['answer', set.id, accession, all],
    queryFn: accession === undefined ? skipToken : () => getAnswer(set.id, accession, all),
    placeholderData: (before) => (before?.accession === accession ? before : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the only protein of a run, if the run has just one and the address does not name it. */
export function useOnlyProtein(set: PredictionSetDetail, named: string | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: ['only-protein', set.id],
    queryFn: named === undefined ? () => getFirstProtein(set.id) : skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return named ?? data;
}

/** Fetches the terms and all terms above them in their aspect. */
export function useAncestry(set: PredictionSetDetail, goIds: readonly string[]) {
  return useQuery({
    queryKey: ['ancestry', set.ontology_snapshot_id, goIds],
    queryFn: () => getAncestry(set.ontology_snapshot_id, goIds),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Fetches the parts of the score of a term; with `alignment` also the alignment with that source protein. */
export function useTermEvidence(
  set: PredictionSetDetail,
  accession: string,
  goId: string,
  alignment?: string,
) {
  return useQuery({
    queryKey: ['term-evidence', set.id, accession, goId, alignment],
    queryFn: () => getTermEvidence(set.id, accession, goId, alignment),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Fetches the meaning of a term in the ontology of a run, and one of the paths from the term to the root. */
export function useTermMeaning(snapshotId: string, goId: string) {
  return useQuery({
    queryKey: ['term-meaning', snapshotId, goId],
    queryFn: async () => {
      const [{ definition }, { names, edges }] = await Promise.all([
        getTerm(snapshotId, goId),
        getAncestry(snapshotId, [goId]),
      ]);
      const path = pathToRoot(goId, edges).map((id) => ({ goId: id, name: names.get(id) ?? id }));
      return { definition, path };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
