import type { Runner, RunnerInput, RunnerOutput, RunnerPlugin } from '@kindred/contracts';
import { transferNeighbours } from '@kindred/kernels/scoring';
import { z } from 'zod';

/**
 * The runner predicts every term of a query's neighbours, scored by its nearest source: 1 - d/2 for cosine, 1 / (1 + d) for squared l2.
 */
const runner: Runner = {
  run: async (input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput> => {
    const { query, term, score, source, distance } = transferNeighbours(input, signal);
    return { query, term, score, source, distance };
  },
};

export const plugin: RunnerPlugin = {
  kind: 'runner',
  name: 'knn',
  version: '0.1.0',
  description:
    'Transfers the terms of the nearest neighbours; the score falls with the distance of the nearest source',
  citations: [],
  parameters: z.strictObject({}),
  load: async () => runner,
};
