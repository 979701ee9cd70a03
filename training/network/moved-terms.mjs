// Moves the network's probabilities to the frequencies of a reference.

/** The limits of a probability whose log odds are taken, so that they stay finite. */
const least = 1e-6;

/** The log odds of a probability, from about -13.8 to 13.8. */
export function logOdds(probability) {
  const bounded = Math.min(1 - least, Math.max(least, probability));
  return Math.log(bounded / (1 - bounded));
}

/**
 * The network learnt how frequent terms are in Swiss-Prot, where most proteins are of bacteria and most terms electronic. This gives by how
 * much the log odds of each output move towards the frequencies of a reference: `share` of the difference. An aspect without any protein in
 * the reference is not moved.
 *
 * @param outputs the graph's number of each output's term, -1 for a term that the graph lacks, and its share in training, above 0 and
 * below 1
 * @param reference the number of proteins with each term by experiment, and with a term of each aspect
 * @param aspect number of each term's aspect: Uint8 [terms]
 * @returns Float64 [outputs]; 0 for a term that the graph lacks
 */
export function movesTowards({ term, trained }, { carriers, speakers }, aspect, share) {
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
export function movedTerms({ term }, { probabilities, moves, from }, { closure, scratch }) {
  const touched = [];
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
