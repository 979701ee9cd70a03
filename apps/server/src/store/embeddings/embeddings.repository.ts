import { sql } from 'kysely';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { isSelected, type SequenceSelection } from '../proteins/sequence-selection.js';

/**
 * Gives the ids of the selected sequences, shortest first so that a batch has equal lengths; ties by id. With
 * `withoutVectorOf`, only sequences without a vector of this configuration count.
 */
export async function selectSequenceIds(
  db: Queryable,
  selection: SequenceSelection,
  withoutVectorOf: number | null,
): Promise<number[]> {
  const missing =
    withoutVectorOf === null
      ? sql`true`
      : sql`not exists (select from sequence_embedding e where e.embedding_config_number = ${withoutVectorOf} and e.sequence_id = s.id)`;
  const { rows } = await sql<{ id: number }>`
    select s.id from sequence s where ${isSelected(selection)} and ${missing} order by s.length, s.id`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** Finds accessions of `accessions` that no protein has, at most `limit`. */
export async function unknownAccessions(
  db: Queryable,
  accessions: string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ accession: string }>`
    select a.accession from unnest(${accessions}::text[]) with ordinality a (accession, position)
    where not exists (select from protein p where p.accession = a.accession)
    order by a.position limit ${limit}`.execute(db);
  return rows.map((row) => row.accession);
}

export interface SequenceRow {
  id: number;
  sequence: string;
}

/**
 * Loads sequences in the order of `ids`. With `withoutVectorOf`, sequences that have a vector by now are left
 * out.
 */
export async function loadSequences(
  db: Queryable,
  ids: number[],
  withoutVectorOf: number | null,
): Promise<SequenceRow[]> {
  const missing =
    withoutVectorOf === null
      ? sql`true`
      : sql`not exists (select from sequence_embedding e where e.embedding_config_number = ${withoutVectorOf} and e.sequence_id = s.id)`;
  const { rows } = await sql<SequenceRow>`
    select s.id, s.sequence from unnest(${ids}::bigint[]) with ordinality i (id, position)
    join sequence s on s.id = i.id where ${missing} order by i.position`.execute(db);
  return rows;
}

/**
 * The rows hold the vectors of one batch; row r of `vectors` (float16 bits, [rows x dimension]) belongs to
 * `sequenceIds[r]`.
 */
export interface EmbeddingRows {
  dimension: number;
  sequenceIds: Float64Array;
  chunkStart: Int32Array;
  /** Chunks end here; -1 stands for NULL. */
  chunkEnd: Int32Array;
  vectors: Uint16Array;
}

/**
 * Stores the vectors by COPY. With `replace`, older vectors of the same sequences are deleted first; without
 * it, sequences that have vectors by now are skipped.
 */
export async function storeEmbeddings(
  trx: Transaction,
  configNumber: number,
  batch: EmbeddingRows,
  replace: boolean,
): Promise<{ stored: number; skipped: number }> {
  const ids = [...new Set(batch.sequenceIds)];
  const present = replace ? new Set<number>() : await sequencesWithVectors(trx, configNumber, ids);
  if (replace) {
    await trx
      .deleteFrom('sequence_embedding')
      .where('embedding_config_number', '=', configNumber)
      .where('sequence_id', 'in', ids)
      .execute();
  }
  const chosen: number[] = [];
  for (let row = 0; row < batch.sequenceIds.length; row++) {
    if (!present.has(batch.sequenceIds[row])) chosen.push(row);
  }
  if (chosen.length > 0) await copyVectors(trx, configNumber, batch, chosen);
  return { stored: chosen.length, skipped: present.size };
}

async function copyVectors(
  trx: Transaction,
  configNumber: number,
  batch: EmbeddingRows,
  chosen: readonly number[],
): Promise<void> {
  const bytesPerRow = batch.dimension * 2;
  const { buffer, byteOffset, byteLength } = batch.vectors;
  const vectorBytes = new Uint8Array(buffer, byteOffset, byteLength);
  const columns = ['embedding_config_number', 'sequence_id', 'chunk_index_s', 'chunk_index_e', 'embedding'];
  await copyRowsWhileWriting(trx, { table: 'sequence_embedding', columns }, chosen.length, (rows, i) => {
    const row = chosen[i];
    rows.row();
    rows.int4(configNumber);
    rows.int8(batch.sequenceIds[row]);
    rows.int4(batch.chunkStart[row]);
    if (batch.chunkEnd[row] < 0) rows.null();
    else rows.int4(batch.chunkEnd[row]);
    rows.bytea(vectorBytes.subarray(row * bytesPerRow, (row + 1) * bytesPerRow));
  });
}

async function sequencesWithVectors(
  trx: Transaction,
  configNumber: number,
  ids: number[],
): Promise<Set<number>> {
  const rows = await trx
    .selectFrom('sequence_embedding')
    .select('sequence_id')
    .distinct()
    .where('embedding_config_number', '=', configNumber)
    .where('sequence_id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute();
  return new Set(rows.map((row) => row.sequence_id));
}
