import { type AlignedMode, alignTask, type TransferOutput } from '../../compute/tasks.js';
import type { ReferenceBank } from '../../compute/reference-bank.js';
import { type QueryRow, sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { OperationContext } from '../operation.js';

/** Alignment features of each row; rows of one (query, reference sequence) pair share one alignment. */
export interface RowAlignments {
  global: AlignedMode;
  local: AlignedMode;
  lengthQuery: Int32Array;
  lengthReference: Int32Array;
}

/** Aligns every query with every sequence that gave it a term, once. */
export async function alignNeighbours(
  rows: TransferOutput,
  queries: QueryRow[],
  bank: ReferenceBank,
  context: OperationContext,
): Promise<RowAlignments> {
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
  return {
    global: spread(aligned.global, pairOfRow),
    local: spread(aligned.local, pairOfRow),
    lengthQuery: pairOfRow.map((pair) => sequences[input.query[pair]].length),
    lengthReference: pairOfRow.map((pair) => sequences[input.target[pair]].length),
  };
}

function spread(mode: AlignedMode, pairOfRow: Int32Array): AlignedMode {
  const column = (values: Float32Array) => Float32Array.from(pairOfRow, (pair) => values[pair]);
  return {
    score: column(mode.score),
    identity: column(mode.identity),
    similarity: column(mode.similarity),
    gaps: column(mode.gaps),
    length: column(mode.length),
  };
}
