/** The propagated terms of each reference: those of reference r are terms[start[r] .. start[r + 1]), without repeats. */
export interface PropagatedTerms {
  /** The start of each reference's terms, and the end of the last: Int32 [references + 1]. */
  start: Int32Array;
  terms: Int32Array;
}

/**
 * Adds all ancestors to annotations: each term once for a reference, ascending, without the terms of `leftOut` (for example roots).
 *
 * The cost is the sum over annotations of the terms above them.
 * @param annotations direct terms of each reference
 * @param closure each term itself and all its ancestors
 * @param leftOut 1 for terms that are never listed: Uint8 [terms]
 */
export function propagateTerms(
  annotations: PropagatedTerms,
  closure: PropagatedTerms,
  leftOut: Uint8Array,
): PropagatedTerms {
  const references = annotations.start.length - 1;
  const start = new Int32Array(references + 1);
  const seenFor = new Int32Array(leftOut.length).fill(-1);
  const parts: Int32Array[] = [];
  for (let reference = 0; reference < references; reference++) {
    const found: number[] = [];
    for (let a = annotations.start[reference]; a < annotations.start[reference + 1]; a++) {
      const term = annotations.terms[a];
      for (let c = closure.start[term]; c < closure.start[term + 1]; c++) {
        const above = closure.terms[c];
        if (leftOut[above] || seenFor[above] === reference) continue;
        seenFor[above] = reference;
        found.push(above);
      }
    }
    parts.push(Int32Array.from(found).sort());
    start[reference + 1] = start[reference] + found.length;
  }
  const terms = new Int32Array(start[references]);
  parts.forEach((part, reference) => {
    terms.set(part, start[reference]);
  });
  return { start, terms };
}

/** The share of references that carry each term, among those with a term of its aspect. */
export interface TermShares {
  /** The share of each term, 0 to 1; 0 for terms that no reference carries. Float64 [terms] */
  share: Float64Array;
  /** The terms of each aspect with a share above 0, largest share first; of equal shares the lower term number comes first. */
  byAspect: Int32Array[];
}

/**
 * Computes the frequency of each term among the references with a term of its aspect. The frequencies are the naive predictor, which
 * predicts the same terms for every protein.
 *
 * @param aspect aspect number of each term: Uint8 [terms]
 * @cite Clark2011Analysis
 */
export function termShares(propagated: PropagatedTerms, aspect: Uint8Array, aspectCount = 3): TermShares {
  const { start, terms } = propagated;
  const carriers = new Int32Array(aspect.length);
  const speakers = new Int32Array(aspectCount);
  for (let reference = 0; reference + 1 < start.length; reference++) {
    const speaks = new Uint8Array(aspectCount);
    for (let at = start[reference]; at < start[reference + 1]; at++) {
      carriers[terms[at]]++;
      speaks[aspect[terms[at]]] = 1;
    }
    for (let a = 0; a < aspectCount; a++) speakers[a] += speaks[a];
  }
  const share = Float64Array.from(carriers, (count, term) =>
    count === 0 ? 0 : count / speakers[aspect[term]],
  );
  const carried = Int32Array.from(share.keys()).filter((term) => carriers[term] > 0);
  carried.sort((a, b) => carriers[b] - carriers[a] || a - b);
  const byAspect = Array.from({ length: aspectCount }, (_, a) =>
    carried.filter((term) => aspect[term] === a),
  );
  return { share, byAspect };
}
