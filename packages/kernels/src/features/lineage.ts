import { forEachQuery, type Pairs, type TermLists } from './pairs.js';

export interface LineageInput {
  pairs: Pairs;
  /** The known terms of each query, each once: rows [queries]. */
  known: TermLists;
  /** Each term with all its ancestors: rows [termCount]. */
  closure: TermLists;
}

/** Columns with a value for each pair: [pairs]. */
export interface Lineage {
  /** The number of the query's known terms below the term; the term itself does not count. */
  ancestorOf: Int32Array;
  /** The number of the query's known terms above the term; the term itself does not count. */
  descendantOf: Int32Array;
}

/**
 * Counts, for each predicted term, the known terms of its query above and below it. The cost is O(ancestors of all pairs and of all known
 * terms); the memory is O(termCount).
 */
export function lineageToKnown({ pairs, known, closure }: LineageInput): Lineage {
  const count = pairs.term.length;
  const out: Lineage = { ancestorOf: new Int32Array(count), descendantOf: new Int32Array(count) };
  const termCount = closure.start.length - 1;
  const knownBelow = new Int32Array(termCount);
  const isKnown = new Uint8Array(termCount);
  forEachQuery(pairs, (query, from, to) => {
    const terms = known.terms.subarray(known.start[query], known.start[query + 1]);
    if (terms.length === 0) return;
    for (const term of terms) {
      isKnown[term] = 1;
      for (let a = closure.start[term]; a < closure.start[term + 1]; a++) knownBelow[closure.terms[a]]++;
    }
    for (let row = from; row < to; row++) {
      const term = pairs.term[row];
      let above = 0;
      for (let a = closure.start[term]; a < closure.start[term + 1]; a++) above += isKnown[closure.terms[a]];
      // A known term is subtracted, because the closure of a term includes the term itself.
      out.ancestorOf[row] = knownBelow[term] - isKnown[term];
      out.descendantOf[row] = above - isKnown[term];
    }
    for (const term of terms) {
      isKnown[term] = 0;
      for (let a = closure.start[term]; a < closure.start[term + 1]; a++) knownBelow[closure.terms[a]] = 0;
    }
  });
  return out;
}
