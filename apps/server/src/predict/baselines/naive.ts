import { noSource } from '../../store/predictions/prediction-writer.js';
import type { BaselineMethodRun, BaselinePayload } from './baseline-method.js';
import type { ReferenceTerms } from '../reference-terms.js';
import type { ScoredTerm } from '../scored-terms.js';

/**
 * Every query gets the frequent terms of the references. The score is the frequency among the references with
 * an annotation in the term's aspect.
 */
export async function naiveTerms(
  { shares, termRowId }: ReferenceTerms,
  { minimum_score }: Pick<BaselinePayload, 'minimum_score'>,
): Promise<BaselineMethodRun> {
  const terms = Int32Array.from(shares.byAspect.flatMap((ofAspect) => [...ofAspect]))
    .filter((term) => shares.share[term] >= minimum_score)
    .sort((a, b) => shares.share[b] - shares.share[a] || a - b);
  const scored = Array.from(
    terms,
    (term): ScoredTerm => ({
      termRowId: termRowId[term],
      score: shares.share[term],
      source: noSource,
      distance: null,
      evidenceCode: null,
    }),
  );
  return async (queries) => queries.map(() => scored);
}
