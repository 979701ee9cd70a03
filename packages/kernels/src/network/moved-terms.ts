/** The outputs of the network, in their order. */
export interface NetworkOutputs {
  /** The graph's number of each term, -1 for a term that the graph lacks: Int32 [outputs]. */
  term: Int32Array;
  /** The share of the training proteins with a term of the aspect that have the term, above 0 and below 1: Float64 [outputs]. */
  trained: Float64Array;
}

/** How frequent terms are in a reference, by experiment. */
export interface TermFrequencies {
  /** The number of proteins with the term: Int32 [terms]. */
  carriers: Int32Array;
  /** The number of proteins with a term of each aspect: Int32 [aspects]. */
  speakers: Int32Array;
}

/** The limits of a probability whose log odds are taken, so that they stay finite. */
const least = 1e-6;

/** The log odds of a probability, from about -13.8 to 13.8. */
export function logOdds(probability: number): number {
  const bounded = Math.min(1 - least, Math.max(least, probability));
  return Math.log(bounded / (1 - bounded));
}

/**
 * The network learnt how frequent terms are in Swiss-Prot, where most proteins are of bacteria and most terms electronic. This gives by how
 * much the log odds of each output move towards the frequencies of a reference: `share` of the difference. An aspect without any protein in
 * the reference is not moved.
 *
 * @param aspect number of each term's aspect: Uint8 [terms]
 * @returns Float64 [outputs]; 0 for a term that the graph lacks
 */
export function movesTowards(
  { term, trained }: NetworkOutputs,
  { carriers, speakers }: TermFrequencies,
  aspect: Uint8Array,
  share: number,
): Float64Array {
  return Float64Array.from(term, (number, output) => {
    if (number < 0) return 0;
    const all = speakers[aspect[number]] ?? 0;
    if (all === 0) return 0;
    // Half a protein is added to both, because a frequency of 0 or 1 has no log odds.
    return share * (logOdds((carriers[number] + 0.5) / (all + 1)) - logOdds(trained[output]));
  });
}

/**
 * Moves the network's probabilities, and raises what is above a term to its probability at least.
 *
 * @param closure the terms above each term, and the term itself: those of term t are terms[start[t] .. start[t + 1])
 * @param scratch Float64 [terms], all 0; it is all 0 again afterwards
 * @returns the terms of the graph with a probability of at least `from`, in ascending order
 */
export function movedTerms(
  { term }: Pick<NetworkOutputs, 'term'>,
  { probabilities, moves, from }: { probabilities: Float32Array; moves: Float64Array; from: number },
  { closure, scratch }: { closure: { start: Int32Array; terms: Int32Array }; scratch: Float64Array },
): { term: Int32Array; score: Float64Array } {
  const touched: number[] = [];
  term.forEach((number, output) => {
    if (number < 0) return;
    const probability = 1 / (1 + Math.exp(-logOdds(probabilities[output]) - moves[output]));
    if (probability < from) return;
    for (let at = closure.start[number]; at < closure.start[number + 1]; at++) {
      const above = closure.terms[at];
      if (scratch[above] === 0) touched.push(above);
      if (scratch[above] < probability) scratch[above] = probability;
    }
  });
  const terms = Int32Array.from(touched).sort();
  const score = Float64Array.from(terms, (number) => scratch[number]);
  for (const number of terms) scratch[number] = 0;
  return { term: terms, score };
}
