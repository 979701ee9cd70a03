import { useQuery } from '@tanstack/react-query';
import { type Enrichment, getEnrichment, type PredictionSetDetail } from '../../app/api/predictions.js';
import type { Against } from '../../shared/against.js';
import type { OverviewRow } from './overview-model.js';

export type EnrichedTerm = Enrichment['terms'][number];

export interface FoundEnrichment extends Omit<Enrichment, 'terms'> {
  terms: ReadonlyMap<string, EnrichedTerm>;
}

interface Asked {
  set: PredictionSetDetail;
  rows: readonly OverviewRow[];
  against: Against | undefined;
  slim: string | undefined;
}

/** Fetches the terms that the proteins have more or less often than those that they are compared with, once a comparison is chosen. */
export function useEnrichment({ set, rows, against, slim }: Asked) {
  const accessions = rows.map(({ accession }) => accession);
  return useQuery({
    queryKey: ['enrichment', set.id, against, slim, accessions.join(' ')],
    queryFn: async ({ signal }): Promise<FoundEnrichment> => {
      const found = await getEnrichment(set.id, { accessions, compare_with: against, slim }, signal);
      return { ...found, terms: new Map(found.terms.map((term) => [term.go_id, term])) };
    },
    enabled: against !== undefined && accessions.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
