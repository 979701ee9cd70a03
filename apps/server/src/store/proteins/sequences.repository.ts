import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import type { Transaction } from '../postgres/connection.js';
import { insertUnlessConflict } from './insert-unless-conflict.js';
import { forEachYielding, itemsPerTurn, yieldToEventLoop } from '../../ground/event-loop.js';

/**
 * One turn computes the MD5 of this many residues, which takes some milliseconds. Beginning a digest costs as
 * much as a thousand residues.
 */
const residuesPerTurn = 2_000_000;
const residuesOfCall = 1000;

export interface StoredSequences {
  /** The row ids have the order of the sequences: `ids[i]` belongs to `sequences[i]`. */
  ids: number[];
  /** Distinct sequences are counted: those that were new, and those that existed. */
  inserted: number;
  reused: number;
}

/** Gives the lower-case hexadecimal MD5 of the residues, which identifies a sequence. */
export function sequenceMd5(sequence: string): string {
  return hash('md5', sequence);
}

/**
 * Stores upper-case sequences, one row per distinct one, and returns their ids. Two transactions that store
 * the same sequence wait for each other; sorting by MD5 avoids a deadlock. `knownDigests` saves computing the
 * digests again.
 */
export async function storeSequences(
  trx: Transaction,
  sequences: readonly string[],
  knownDigests?: readonly string[],
): Promise<StoredSequences> {
  const digests = knownDigests ?? (await digestsOf(sequences));
  const bySequence = new Map<string, string>();
  await forEachYielding(digests.length, (i) => bySequence.set(digests[i], sequences[i]));
  const ids = new Map<string, number>();
  await collectIds(trx, [...bySequence.keys()], ids);
  const reused = ids.size;
  const missing = await sortedWithout([...bySequence.keys()], ids);
  const fresh: FreshSequences = { digests: missing, bySequence, ids };
  let inserted = missing.length;
  if (missing.length > 0 && !(await insertUnlessConflict(trx, () => copyNew(trx, fresh)))) {
    inserted = await insertUntaken(trx, fresh);
    // Another transaction has inserted these in the meantime.
    await collectIds(
      trx,
      missing.filter((digest) => !ids.has(digest)),
      ids,
    );
  }
  const given = new Array<number>(digests.length);
  await forEachYielding(digests.length, (i) => (given[i] = ids.get(digests[i]) as number));
  return {
    ids: given,
    inserted,
    reused: reused + missing.length - inserted,
  };
}

async function digestsOf(sequences: readonly string[]): Promise<string[]> {
  const digests: string[] = [];
  let residues = 0;
  for (const sequence of sequences) {
    digests.push(sequenceMd5(sequence));
    residues += sequence.length + residuesOfCall;
    if (residues < residuesPerTurn) continue;
    residues = 0;
    await yieldToEventLoop();
  }
  return digests;
}

/**
 * Gives digests that are not among `known`, in ascending order. They are spread evenly, so the digests of
 * each first byte are quickly sorted.
 */
async function sortedWithout(
  digests: readonly string[],
  known: ReadonlyMap<string, number>,
): Promise<string[]> {
  const shares: string[][] = Array.from({ length: 256 }, () => []);
  await forEachYielding(digests.length, (i) => {
    const digest = digests[i];
    if (!known.has(digest)) shares[Number.parseInt(digest.slice(0, 2), 16)].push(digest);
  });
  const sorted: string[] = [];
  let turn = itemsPerTurn;
  for (const share of shares) {
    for (const digest of share.sort()) sorted.push(digest);
    if (sorted.length < turn) continue;
    turn = sorted.length + itemsPerTurn;
    await yieldToEventLoop();
  }
  return sorted;
}

/**
 * Locks the rows, because the retention of expired uploads must not delete a sequence that this transaction
 * is about to refer to.
 */
async function collectIds(trx: Transaction, digests: string[], ids: Map<string, number>): Promise<void> {
  for (let from = 0; from < digests.length; from += itemsPerTurn) {
    const page = digests.slice(from, from + itemsPerTurn);
    const { rows } = await sql<{ id: number; sequence_md5: string }>`
      select id, sequence_md5 from sequence where sequence_md5 = any(${page}::char(32)[])
      order by sequence_md5 for key share`.execute(trx);
    for (const row of rows) ids.set(row.sequence_md5, row.id);
  }
}

/** The table does not have these sequences yet. They are sorted by digest, and `ids` receives theirs. */
interface FreshSequences {
  digests: string[];
  bySequence: ReadonlyMap<string, string>;
  ids: Map<string, number>;
}

/**
 * Copies straight into the table with ids reserved before, which costs a third of an INSERT that checks for
 * conflicts.
 */
async function copyNew(trx: Transaction, { digests, bySequence, ids }: FreshSequences): Promise<void> {
  const taken: number[] = [];
  while (taken.length < digests.length) {
    const count = Math.min(itemsPerTurn, digests.length - taken.length);
    const { rows } = await sql<{ id: number }>`
      select nextval('sequence_id_seq') as id from generate_series(1, ${count}::integer)`.execute(trx);
    for (const { id } of rows) taken.push(id);
  }
  const target = { table: 'sequence', columns: ['id', 'sequence', 'sequence_md5', 'length'] };
  await copyRowsWhileWriting(trx, target, digests.length, (rows, i) => {
    const sequence = bySequence.get(digests[i]) as string;
    rows.row();
    rows.int8(taken[i]);
    rows.text(sequence);
    rows.text(digests[i]);
    rows.int4(sequence.length);
  });
  await forEachYielding(digests.length, (i) => ids.set(digests[i], taken[i]));
}

/**
 * Inserts sequences unless another transaction stores them at the same time, and returns how many this call
 * inserted.
 */
async function insertUntaken(
  trx: Transaction,
  { digests, bySequence, ids }: FreshSequences,
): Promise<number> {
  await trx.client.query(`
    create temporary table if not exists incoming_sequence (sequence_md5 text, sequence text) on commit delete rows;
    truncate incoming_sequence`);
  const target = { table: 'incoming_sequence', columns: ['sequence_md5', 'sequence'] };
  await copyRowsWhileWriting(trx, target, digests.length, (rows, i) => {
    rows.row();
    rows.text(digests[i]);
    rows.text(bySequence.get(digests[i]) as string);
  });
  const { rows: inserted } = await sql<{ id: number; sequence_md5: string }>`
    insert into sequence (sequence, sequence_md5, length)
    select sequence, sequence_md5, length(sequence) from incoming_sequence order by sequence_md5
    on conflict (sequence_md5) do nothing returning id, sequence_md5`.execute(trx);
  for (const row of inserted) ids.set(row.sequence_md5, row.id);
  return inserted.length;
}
