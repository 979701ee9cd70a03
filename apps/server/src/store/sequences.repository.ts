import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { BinaryRows, copyBinaryRows } from './binary-copy.js';
import type { Transaction } from './db.js';

export interface StoredSequences {
  /** Row ids, `ids[i]` of `sequences[i]`. */
  ids: number[];
  /** Distinct sequences that were new, and those that were there. */
  inserted: number;
  reused: number;
}

/** Lower-case hexadecimal MD5 of the residues, the identity of a sequence. */
export function sequenceMd5(sequence: string): string {
  return createHash('md5').update(sequence, 'latin1').digest('hex');
}

/**
 * Stores upper-case sequences, one row per distinct one, and gives their ids. Two transactions that store the same
 * sequence wait for each other; sorting by MD5 keeps them from a deadlock.
 */
export async function storeSequences(
  trx: Transaction,
  sequences: readonly string[],
): Promise<StoredSequences> {
  const digests = sequences.map(sequenceMd5);
  const bySequence = new Map(digests.map((digest, i) => [digest, sequences[i]]));
  const ids = new Map<string, number>();
  await collectIds(trx, [...bySequence.keys()], ids);
  const reused = ids.size;
  const missing = [...bySequence.keys()].filter((digest) => !ids.has(digest)).sort();
  let inserted = 0;
  if (missing.length > 0) {
    inserted = await insertMissing(trx, missing, bySequence, ids);
    // What another transaction committed in between was not ours to insert.
    await collectIds(
      trx,
      missing.filter((digest) => !ids.has(digest)),
      ids,
    );
  }
  return {
    ids: digests.map((digest) => ids.get(digest) as number),
    inserted,
    reused: reused + missing.length - inserted,
  };
}

async function collectIds(trx: Transaction, digests: string[], ids: Map<string, number>): Promise<void> {
  if (digests.length === 0) return;
  const { rows } = await sql<{ id: number; sequence_md5: string }>`
    select id, sequence_md5 from sequence where sequence_md5 = any(${digests}::char(32)[])`.execute(trx);
  for (const row of rows) ids.set(row.sequence_md5, row.id);
}

async function insertMissing(
  trx: Transaction,
  digests: string[],
  bySequence: ReadonlyMap<string, string>,
  ids: Map<string, number>,
): Promise<number> {
  await trx.client.query(`
    create temporary table if not exists incoming_sequence (sequence_md5 text, sequence text) on commit delete rows;
    truncate incoming_sequence`);
  const rows = new BinaryRows(2);
  for (const digest of digests) {
    rows.row();
    rows.text(digest);
    rows.text(bySequence.get(digest) as string);
  }
  await copyBinaryRows(trx, 'incoming_sequence', ['sequence_md5', 'sequence'], rows);
  const { rows: fresh } = await sql<{ id: number; sequence_md5: string }>`
    insert into sequence (sequence, sequence_md5, length)
    select sequence, sequence_md5, length(sequence) from incoming_sequence order by sequence_md5
    on conflict (sequence_md5) do nothing returning id, sequence_md5`.execute(trx);
  for (const row of fresh) ids.set(row.sequence_md5, row.id);
  return fresh.length;
}
