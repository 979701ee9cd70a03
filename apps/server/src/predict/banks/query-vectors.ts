import { vectorsOf } from '../../store/references/reference-bank.repository.js';
import type { QueryRow } from '../../store/proteins/queries.repository.js';
import type { BankContext } from './bank-context.js';
import { decodeVector } from './ensure-reference-bank.js';

/** Reads the vectors of the queries, which may have several each, and the query of each vector. */
export async function queryVectors(
  queries: readonly QueryRow[],
  config: { number: number; dimension: number },
  { db }: Pick<BankContext, 'db'>,
): Promise<{ vectors: Float32Array; queryOfRow: Int32Array }> {
  const ids = [...new Set(queries.map((query) => query.sequence_id))];
  const ofSequence = new Map<number, Float32Array[]>();
  for (const row of await vectorsOf(db, config.number, ids)) {
    ofSequence.set(row.sequence_id, [
      ...(ofSequence.get(row.sequence_id) ?? []),
      decodeVector(row.embedding),
    ]);
  }
  const rows = queries.flatMap((query, index) =>
    (ofSequence.get(query.sequence_id) ?? []).map((vector) => ({ index, vector })),
  );
  const vectors = new Float32Array(rows.length * config.dimension);
  rows.forEach(({ vector }, row) => {
    vectors.set(vector, row * config.dimension);
  });
  return { vectors, queryOfRow: Int32Array.from(rows, ({ index }) => index) };
}
