import { type CombinedQuery, countedDonors } from '@kindred/kernels/combined';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { type CombinedInput, prepareQueries } from '../combined-queries.js';

/** Finds the donors of each query that count; null if it has no answer. */
async function searchedDonors(input: CombinedInput, control: TaskControl): Promise<(CombinedQuery | null)[]> {
  const prepared = await prepareQueries(input, () => control.aborted());
  const { speaks } = input.shared.reference;
  return prepared.map(({ query }) => (query === null ? null : { ...query, ...countedDonors(query, speaks) }));
}

export const searchedDonorsTask = task(import.meta.url, searchedDonors);
