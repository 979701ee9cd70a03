import { likenesses } from './banks/known-proteins.js';
import {
  type NamesakeRow,
  namesakes,
  type PredictedQueryRow,
} from '../store/predictions/baselines.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

type Context = Pick<OperationContext, 'db' | 'compute' | 'signal'>;

/**
 * Queries that are annotated proteins of the set, with that protein: of the same accession where the sequences are the same or the
 * alignment says that they are one protein, or else the first by accession of the same sequence.
 */
export async function knownQueries(
  setNumber: number,
  queries: readonly Pick<PredictedQueryRow, 'accession' | 'sequence_id'>[],
  context: Context,
): Promise<NamesakeRow[]> {
  const rows = await namesakes(context.db, setNumber, queries);
  const pairOf = (row: NamesakeRow) => ({ query: row.sequence_id, reference: row.protein_sequence_id });
  const isEqual = (row: NamesakeRow) => row.sequence_id === row.protein_sequence_id;
  const likenessOf = await likenesses(rows.filter((row) => !isEqual(row)).map(pairOf), context);
  const known = new Map<string, NamesakeRow>();
  for (const row of rows)
    if (!known.has(row.query) && (isEqual(row) || likenessOf(pairOf(row)) !== null))
      known.set(row.query, row);
  return [...known.values()];
}
