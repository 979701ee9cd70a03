import { absent, ProblemError } from '@kindred/contracts';
import { unknownAccessions } from '../store/embeddings/embeddings.repository.js';
import { proteinRanges, type QueryRange } from '../store/proteins/queries.repository.js';
import { findQuerySet, type QuerySetRow } from '../store/proteins/query-sets.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

export interface QueryChoice {
  query_set_id: string | null;
  query_accessions: string[] | null;
}

export interface ChosenQueries {
  ranges: QueryRange[];
  querySet: QuerySetRow | undefined;
  /** The number of queries is null if all proteins are queries, because loads may add some meanwhile. */
  queryCount: number | null;
}

/**
 * Cuts the queries of a payload into ranges of `size`: the entries of a query set, the named proteins, else
 * all proteins.
 * @throws ProblemError not_found naming the query set or the first unknown accessions
 */
export async function chosenQueries(
  choice: QueryChoice,
  size: number,
  { db }: Pick<OperationContext, 'db'>,
): Promise<ChosenQueries> {
  const { query_set_id, query_accessions } = choice;
  if (query_set_id !== null) {
    const querySet = await findQuerySet(db, query_set_id);
    if (querySet === undefined) throw absent('query set', query_set_id);
    const ranges = cuts(querySet.entry_count, size).map(
      ([from, to]): QueryRange => ({ kind: 'entries', query_set_id, from, to }),
    );
    return { ranges, querySet, queryCount: querySet.entry_count };
  }
  if (query_accessions === null)
    return { ranges: await proteinRanges(db, size), querySet: undefined, queryCount: null };
  const accessions = [...new Set(query_accessions)];
  const unknown = await unknownAccessions(db, accessions, 5);
  if (unknown.length > 0) {
    throw new ProblemError(
      'not_found',
      `No such protein: ${unknown.join(', ')}. Load it with insert_proteins, or upload a query set.`,
    );
  }
  const ranges = cuts(accessions.length, size).map(
    ([from, to]): QueryRange => ({ kind: 'accessions', accessions: accessions.slice(from, to) }),
  );
  return { ranges, querySet: undefined, queryCount: accessions.length };
}

function cuts(count: number, size: number): [number, number][] {
  return Array.from({ length: Math.ceil(count / size) }, (_, part) => [
    part * size,
    Math.min(count, (part + 1) * size),
  ]);
}
