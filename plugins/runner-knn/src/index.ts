import type { Runner, RunnerInput, RunnerOutput, RunnerPlugin } from '@kindred/contracts';
import { transferTerms } from '@kindred/kernels/scoring';
import { z } from 'zod';

/** Every term of a query's neighbours, scored by its nearest donor: 1 - d/2 for cosine, 1 / (1 + d) for squared l2. */
const runner: Runner = {
  run: async (input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput> => {
    const { nQuery, k, metric, neighbours, distances, aspect, termAspect, termOrder, sharing } = input;
    const { candidates } = transferTerms({
      nQuery,
      k,
      metric,
      lists: [{ neighbours, distances, aspect }],
      annotations: { start: input.termStart, term: input.terms, negated: input.negated },
      termCount: termOrder?.length ?? termAspect?.length ?? largest(input.terms) + 1,
      termAspect,
      termOrder,
      sharing,
      signal,
    });
    const { query, term, score, donor, distance, voteCount } = candidates;
    return { query, term, score, donor, distance, voteCount };
  },
};

function largest(values: Int32Array): number {
  return values.reduce((most, value) => Math.max(most, value), -1);
}

export const plugin: RunnerPlugin = {
  kind: 'runner',
  name: 'knn',
  version: '0.1.0',
  description:
    'Transfers the terms of the nearest neighbours; the score falls with the distance of the nearest donor',
  citations: [],
  parameters: z.strictObject({}),
  load: async () => runner,
};
