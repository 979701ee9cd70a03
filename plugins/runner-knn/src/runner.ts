import type { Runner, RunnerInput, RunnerOutput } from '@kindred/contracts';
import { transferNeighbours } from '@kindred/kernels/scoring';

/**
 * The runner predicts every term of a query's neighbours, scored by its nearest source: 1 - d/2 for cosine, 1 / (1 + d) for squared l2.
 */
export const runner: Runner = {
  run: async (input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput> => {
    const { query, term, score, source, distance } = transferNeighbours(input, signal);
    return { query, term, score, source, distance };
  },
};
