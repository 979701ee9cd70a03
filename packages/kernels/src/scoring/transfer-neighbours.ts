import { transferTerms } from './transfer.js';
import type { Candidates, NeighbourList, TransferInput } from './types.js';

/** One neighbour list per query, and the annotations of the references, in the form that runners receive. */
export interface NeighboursWithTerms
  extends NeighbourList,
    Pick<TransferInput, 'nQuery' | 'k' | 'metric' | 'termAspect' | 'termOrder' | 'sharing'> {
  /** See ReferenceAnnotations. */
  termStart: Int32Array;
  terms: Int32Array;
  negated?: Uint8Array;
}

/**
 * The candidates of `transferTerms` for one list per query. The number of terms is the length of the term columns, or the
 * largest term number + 1.
 */
export function transferNeighbours(input: NeighboursWithTerms, signal?: AbortSignal): Candidates {
  const { nQuery, k, metric, neighbours, distances, aspect, termAspect, termOrder, sharing } = input;
  const most = input.terms.reduce((largest, term) => Math.max(largest, term), -1);
  const { candidates } = transferTerms({
    nQuery,
    k,
    metric,
    lists: [{ neighbours, distances, aspect }],
    annotations: { start: input.termStart, term: input.terms, negated: input.negated },
    termCount: termOrder?.length ?? termAspect?.length ?? most + 1,
    termAspect,
    termOrder,
    sharing,
    signal,
  });
  return candidates;
}
