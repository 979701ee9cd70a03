import type { NetworkRates, NetworkResult } from '@kindred/contracts/network-table';
import { networkRefusal, NetworkTerms } from '@kindred/kernels/network';
import { loadNetwork, readModelFile } from './model.js';

/** The network with the words of its terms. */
export interface Annotator {
  annotate(sequence: string): NetworkResult;
  rates: NetworkRates;
}

/** @throws ProblemError backend_unavailable where its files are missing or damaged, with what to do */
export function openAnnotator(nativeKernels: string): Annotator {
  const network = loadNetwork(nativeKernels);
  const terms = new NetworkTerms(readModelFile('terms.tsv').toString());
  return {
    rates: JSON.parse(readModelFile('rates.json').toString()) as NetworkRates,
    annotate(sequence) {
      const refusal = networkRefusal(sequence, network.shortest);
      const answer = refusal === null ? network.answer(sequence) : null;
      return answer === null
        ? { refusal: refusal ?? 'short_for_network' }
        : { terms: terms.answer(answer.probabilities) };
    },
  };
}
