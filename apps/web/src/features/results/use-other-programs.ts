import { emptyTally, addToTally, type ComparisonTally } from '@kindred/contracts/stated-terms-words';
import { skipToken, useQuery } from '@tanstack/react-query';
import {
  comparisonPages,
  type ComparisonPage,
  getComparison,
  getOtherFiles,
} from '../../app/api/other-programs.js';
import type { PredictionSetDetail } from '../../app/api/predictions.js';

export type ComparedTerm = ComparisonPage['proteins'][number]['terms'][number];
export type Agreement = ComparedTerm['agreement'];
export interface ComparedRow extends ComparedTerm {
  protein: string;
}
/** How far a run and other programs agree, with the first rows of each kind. */
export interface WholeComparison {
  tally: ComparisonTally;
  first: Record<Agreement, ComparedRow[]>;
}

/** The maximum number of rows of a kind on the page; the file has more. */
export const shownRows = 200;

type Run = Pick<PredictionSetDetail, 'id' | 'query_set_id'>;
/** All that is kept of other programs begins with this key. */
export const otherProgramsKey = (setId: string) => ['other-programs', setId];

/** Fetches the files of other programs that are kept with the run. */
export function useOtherFiles({ id, query_set_id: queries }: Run) {
  return useQuery({
    queryKey: [...otherProgramsKey(id), 'files'],
    queryFn: queries === null ? skipToken : () => getOtherFiles(queries),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Compares all proteins of the run with the files. */
export function useWholeComparison({ id }: Run) {
  return useQuery({
    queryKey: [...otherProgramsKey(id), 'whole'],
    queryFn: async ({ signal }) => {
      const found: WholeComparison = {
        tally: emptyTally(),
        first: { both: [], only_kindred: [], only_others: [], contradicted: [] },
      };
      for await (const page of comparisonPages(id, signal)) {
        addToTally(found.tally, page);
        for (const { accession, terms } of page.proteins)
          for (const term of terms) {
            const rows = found.first[term.agreement];
            if (rows.length < shownRows) rows.push({ protein: accession, ...term });
          }
      }
      return found;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Compares one protein of the run with the files. */
export function useProteinComparison({ id }: Run, accession: string) {
  return useQuery({
    queryKey: [...otherProgramsKey(id), 'protein', accession],
    queryFn: () => getComparison(id, accession),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
