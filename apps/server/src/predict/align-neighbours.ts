import type { ColumnArrays, ColumnsFrom } from '@kindred/kernels/prediction';
import { type AlignOutput, alignTask } from './compute/tasks/align.js';
import type { TransferOutput } from './compute/tasks/transfer.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import { type QueryRow, sequenceTexts } from '../store/proteins/queries.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/**
 * Aligns every query once with every sequence that gave it a term. Rows of one pair of sequences share the
 * alignment, and rows without a source have none.
 */
export async function alignNeighbours(
  rows: TransferOutput,
  queries: QueryRow[],
  bank: ReferenceBank,
  context: OperationContext,
): Promise<ColumnArrays<ColumnsFrom<'alignment'>>> {
  const { sequenceIds, referenceSequence } = bank.arrays;
  const pairOf = new Map<string, number>();
  const pairQuery: number[] = [];
  const pairTarget: number[] = [];
  const place = new Map<number, number>();
  const placeOf = (sequenceId: number) => {
    const known = place.get(sequenceId) ?? place.size;
    place.set(sequenceId, known);
    return known;
  };
  const pairOfRow = rows.reference.map((reference, row) => {
    if (reference < 0) return -1;
    const query = queries[rows.query[row]].sequence_id;
    const target = sequenceIds[referenceSequence[reference]];
    const key = `${query} ${target}`;
    const known = pairOf.get(key);
    if (known !== undefined) return known;
    pairOf.set(key, pairQuery.length);
    pairQuery.push(placeOf(query));
    pairTarget.push(placeOf(target));
    return pairQuery.length - 1;
  });
  const texts = await sequenceTexts(context.db, [...place.keys()]);
  const sequences = [...place.keys()].map((id) => texts.get(id) as string);
  const input = { sequences, query: Int32Array.from(pairQuery), target: Int32Array.from(pairTarget) };
  const aligned = await context.compute.run(alignTask, input, { signal: context.signal });
  const ofRows = (values: Float32Array) =>
    Float32Array.from(pairOfRow, (pair) => (pair < 0 ? Number.NaN : values[pair]));
  const lengthOf = (places: Int32Array, pair: number) => (pair < 0 ? -1 : sequences[places[pair]].length);
  return {
    ...(Object.fromEntries(
      Object.entries(aligned).map(([name, values]) => [name, ofRows(values)]),
    ) as AlignOutput),
    length_query: pairOfRow.map((pair) => lengthOf(input.query, pair)),
    length_ref: pairOfRow.map((pair) => lengthOf(input.target, pair)),
  };
}
