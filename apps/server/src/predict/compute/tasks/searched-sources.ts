import { type CombinedQuery, countedSources } from '@kindred/kernels/combined';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { type CombinedInput, prepareQueries } from '../combined-queries.js';

/** Finds the sources of each query that count; null if it has no answer. */
async function searchedSources(
  input: CombinedInput,
  control: TaskControl,
): Promise<(CombinedQuery | null)[]> {
  const prepared = await prepareQueries(input, () => control.aborted());
  const { speaks } = input.shared.reference;
  return prepared.map(({ query }) =>
    query === null ? null : { ...query, ...countedSources(query, speaks) },
  );
}

export const searchedSourcesTask = task(import.meta.url, searchedSources);
