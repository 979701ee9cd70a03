import { transferTerms } from './transfer.js';
import type { Candidates, NeighbourList, TransferInput } from './types.js';

/** A neighbour list for each query, and the annotations of the references, in the form that runners receive. */
export interface NeighboursWithTerms
  extends NeighbourList,
    Pick<
      TransferInput,
      'nQuery' | 'k' | 'metric' | 'termAspect' | 'termOrder' | 'termFrequency' | 'firstAspect' | 'sharing'
    > {
  /** The start of each reference's terms, as in ReferenceAnnotations. */
  termStart: Int32Array;
  terms: Int32Array;
  negated?: Uint8Array;
}

/**
 * Returns the candidates of `transferTerms` for one list of each query. The number of terms is the length of the term columns, or the
 * largest term number + 1.
 */
export function transferNeighbours(input: NeighboursWithTerms, signal?: AbortSignal): Candidates {
  const { neighbours, distances, aspect, termStart, terms, negated, ...shared } = input;
  const column = input.termFrequency ?? input.termOrder ?? input.termAspect;
  const { candidates } = transferTerms({
    ...shared,
    lists: [{ neighbours, distances, aspect }],
    annotations: { start: termStart, term: terms, negated },
    termCount: column?.length ?? terms.reduce((largest, term) => Math.max(largest, term), -1) + 1,
    signal,
  });
  return candidates;
}
