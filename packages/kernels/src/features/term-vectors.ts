import { forEachQuery, type Pairs, stopIf, type TermLists } from './pairs.js';

/** Vectors of GO terms, for example from anc2vec. */
export interface TermVectors {
  dimension: number;
  /** The row of each term in `vectors`; -1 if it has none: Int32 [termCount]. */
  row: Int32Array;
  /** The unit vectors: Float32 [rows x dimension]. */
  vectors: Float32Array;
}

export interface TermVectorInput {
  pairs: Pairs;
  /** The known terms of each query, each once: rows [queries]. */
  known: TermLists;
  /** The aspect number of each term: Uint8 [termCount]. */
  termAspect: Uint8Array;
  termVectors: TermVectors;
  /** A function that is called for every query; when it returns true, the call ends with an error. */
  isAborted?: () => boolean;
}

/** Columns [pairs] of cosines, -1 to 1; NaN if the term has no vector or there are no terms to compare it with. */
export interface TermVectorFeatures {
  neighbourCosine: Float32Array;
  neighbourLargestCosine: Float32Array;
  /** The value is 1 where the term has a vector. */
  hasVector: Uint8Array;
  knownCosine: Float32Array;
  knownLargestCosine: Float32Array;
  /** The number of the query's known terms in the term's aspect that have a vector. */
  knownCount: Int32Array;
}

/**
 * Compares each predicted term with the other terms of its aspect that the query's neighbours carry (the other pairs of the query), and
 * with the known terms of the query: with the mean of their unit vectors, and with the most similar one. A term is never compared with
 * itself. The cost is O(pairs of a query x (its pairs + its known terms) x dimension), summed over the queries.
 * @cite Edera2022Anc2vec
 */
export function compareTermVectors(input: TermVectorInput): TermVectorFeatures {
  const { pairs, known, termVectors } = input;
  const count = pairs.term.length;
  const none = () => new Float32Array(count).fill(Number.NaN);
  const out: TermVectorFeatures = {
    neighbourCosine: none(),
    neighbourLargestCosine: none(),
    hasVector: Uint8Array.from(pairs.term, (term) => (termVectors.row[term] < 0 ? 0 : 1)),
    knownCosine: none(),
    knownLargestCosine: none(),
    knownCount: new Int32Array(count),
  };
  forEachQuery(pairs, (query, from, to) => {
    stopIf(input.isAborted);
    const predicted = byAspect(input, pairs.term.subarray(from, to));
    const knownTerms = byAspect(input, known.terms.subarray(known.start[query], known.start[query + 1]));
    for (let row = from; row < to; row++) {
      const term = pairs.term[row];
      const aspect = input.termAspect[term];
      const knownOfAspect = knownTerms.get(aspect) ?? [];
      out.knownCount[row] = knownOfAspect.length;
      if (out.hasVector[row] === 0) continue;
      const [mean, largest] = compare(termVectors, term, predicted.get(aspect) ?? []);
      out.neighbourCosine[row] = mean;
      out.neighbourLargestCosine[row] = largest;
      [out.knownCosine[row], out.knownLargestCosine[row]] = compare(termVectors, term, knownOfAspect);
    }
  });
  return out;
}

/** Groups the terms with a vector by aspect, in order of term number, so that sums do not depend on the order of the rows. */
function byAspect({ termAspect, termVectors }: TermVectorInput, terms: Int32Array): Map<number, number[]> {
  const lists = new Map<number, number[]>();
  for (const term of Int32Array.from(terms).sort()) {
    if (termVectors.row[term] < 0) continue;
    const list = lists.get(termAspect[term]);
    if (list === undefined) lists.set(termAspect[term], [term]);
    else list.push(term);
  }
  return lists;
}

/** Returns the cosine with the mean of the other vectors, and the maximum cosine with one of them; NaN without others. */
function compare(
  { dimension, row, vectors }: TermVectors,
  term: number,
  others: readonly number[],
): [number, number] {
  const mean = new Float64Array(dimension);
  const own = row[term] * dimension;
  let largest = Number.NaN;
  for (const other of others) {
    if (other === term) continue;
    const at = row[other] * dimension;
    let cosine = 0;
    for (let d = 0; d < dimension; d++) {
      cosine += vectors[own + d] * vectors[at + d];
      mean[d] += vectors[at + d];
    }
    if (!(cosine <= largest)) largest = cosine;
  }
  let product = 0;
  let square = 0;
  for (let d = 0; d < dimension; d++) {
    product += mean[d] * vectors[own + d];
    square += mean[d] * mean[d];
  }
  const within = (cosine: number) => Math.min(1, Math.max(-1, cosine));
  return [square === 0 ? Number.NaN : within(product / Math.sqrt(square)), within(largest)];
}
