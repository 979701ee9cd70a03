import type { Database, Transaction } from '../postgres/connection.js';
import { type CopiedOut, copiedOut, inSnapshot } from '../postgres/copied-rows.js';
import { type PackedTable, packedTables, type PackSubject } from './pack-tables.js';

/** Runs `work` on one moment of the database, with memory for sorting millions of rows. */
export function inPackSnapshot<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return inSnapshot(db, async (trx) => {
    await trx.client.query(`set local work_mem = '64MB'`);
    return work(trx);
  });
}

/**
 * Reads rows of a table of a pack in PostgreSQL's text format, in an order that does not depend on the
 * database.
 */
export function packedRows(trx: Transaction, table: PackedTable, subject: PackSubject): CopiedOut {
  return copiedOut(trx, `copy (${packedTables[table].select(subject)}) to stdout`);
}

const vectorsOf = (configNumber: number, referenceNumber: number) => `
  from sequence_embedding e join sequence s on s.id = e.sequence_id
  where e.embedding_config_number = ${Number(configNumber)}
    and e.sequence_id in (select sequence_id from reference_protein where reference_number = ${Number(referenceNumber)})
  order by s.sequence_md5 collate "C", e.chunk_index_s`;

/** Reads the sequence (MD5) and chunk of each vector, in the order of `packedVectors`. */
export function packedVectorIndex(
  trx: Transaction,
  configNumber: number,
  referenceNumber: number,
): CopiedOut {
  const rows = vectorsOf(configNumber, referenceNumber);
  return copiedOut(trx, `copy (select s.sequence_md5, e.chunk_index_s, e.chunk_index_e ${rows}) to stdout`);
}

/** Yields the float16 numbers of all vectors, one after the other. */
export async function* packedVectors(
  trx: Transaction,
  configNumber: number,
  referenceNumber: number,
): AsyncGenerator<Buffer> {
  const rows = vectorsOf(configNumber, referenceNumber);
  yield* onlyColumn(copiedOut(trx, `copy (select e.embedding ${rows}) to stdout (format binary)`));
}

const copyHeaderBytes = 19;
/** The header of a row has the count of columns, and the length of the only column. */
const rowHeaderBytes = 6;

const yieldedBytes = 1 << 18;

/** Yields the values of the only column of binary COPY data, one after the other. */
async function* onlyColumn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let isBegun = false;
  let values: Buffer[] = [];
  let valueBytes = 0;
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!isBegun && rest.length < copyHeaderBytes) continue;
    let at = isBegun ? 0 : copyHeaderBytes;
    isBegun = true;
    while (rest.length >= at + rowHeaderBytes) {
      const start = at + rowHeaderBytes;
      const end = start + rest.readInt32BE(at + 2);
      if (rest.length < end) break;
      values.push(rest.subarray(start, end));
      valueBytes += end - start;
      at = end;
    }
    rest = rest.subarray(at);
    if (valueBytes < yieldedBytes) continue;
    yield Buffer.concat(values);
    values = [];
    valueBytes = 0;
  }
  if (valueBytes > 0) yield Buffer.concat(values);
}
