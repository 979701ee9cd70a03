import { sql } from 'kysely';
import { BinaryRows, copyBinaryRows } from '../postgres/binary-copy.js';
import type { Queryable, Transaction } from '../postgres/connection.js';

/** A match belongs to a sequence of the database. */
export interface StoredMatch {
  sequenceId: number;
  sourceDb: string;
  signatureAccession: string | null;
  interproAccession: string | null;
  start: number | null;
  end: number | null;
  score: string | null;
}

const stagedColumns = [
  'sequence_id',
  'source_db',
  'signature_accession',
  'interpro_accession',
  'start_position',
  'end_position',
  'score',
];

/** Stores matches and returns the number of new ones; existing ones stay unchanged. */
export async function storeMatches(
  trx: Transaction,
  interproRelease: string,
  matches: readonly StoredMatch[],
): Promise<number> {
  if (matches.length === 0) return 0;
  await trx.client.query(`
    create temporary table if not exists incoming_match (sequence_id bigint, source_db text, signature_accession text,
      interpro_accession text, start_position integer, end_position integer, score text) on commit delete rows;
    truncate incoming_match`);
  const rows = new BinaryRows(stagedColumns.length);
  const nullable = (value: number | null) => (value === null ? rows.null() : rows.int4(value));
  for (const match of matches) {
    rows.row();
    rows.int8(match.sequenceId);
    rows.text(match.sourceDb);
    rows.text(match.signatureAccession ?? '');
    rows.text(match.interproAccession);
    nullable(match.start);
    nullable(match.end);
    rows.text(match.score);
  }
  await copyBinaryRows(trx, 'incoming_match', stagedColumns, rows);
  // All transactions use one order, so that they cannot deadlock. A sequence that was deleted meanwhile is
  // skipped.
  const { rowCount } = await trx.client.query(
    `insert into interpro_annotation (interpro_release, ${stagedColumns.join(', ')})
     select $1, ${stagedColumns.map((column) => `i.${column}`).join(', ')} from incoming_match i
     where exists (select from sequence s where s.id = i.sequence_id)
     order by i.sequence_id, i.source_db, i.signature_accession, i.start_position on conflict do nothing`,
    [interproRelease],
  );
  return rowCount ?? 0;
}

/** The match has a place on its sequence. */
export interface PlacedMatchRow {
  database: string;
  signature: string | null;
  interpro_entry: string | null;
  interpro_release: string;
  start: number;
  end: number;
}

/**
 * Reads the matches with a place of a sequence, in the order of their starts, at most 200. They are of the release with the highest first
 * number that has any.
 */
export async function placedMatches(db: Queryable, sequenceId: number): Promise<PlacedMatchRow[]> {
  const { rows } = await sql<PlacedMatchRow>`
    select source_db as database, nullif(signature_accession, '') as signature, interpro_accession as interpro_entry,
           interpro_release, start_position as start, end_position as "end"
    from interpro_annotation
    where sequence_id = ${sequenceId} and start_position is not null and end_position is not null
      and interpro_release = (
        select interpro_release from interpro_annotation
        where sequence_id = ${sequenceId} and start_position is not null
        order by substring(interpro_release from '[0-9]+')::numeric desc nulls last, interpro_release desc limit 1)
    order by start_position, end_position, source_db, signature_accession
    limit 200`.execute(db);
  return rows;
}

export async function sequencesOfAccessions(
  db: Queryable,
  accessions: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ accession: string; sequence_id: number }>`
    select accession, sequence_id from protein where accession = any(${accessions}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.accession, row.sequence_id]));
}

export async function sequencesOfMd5(
  db: Queryable,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: number; sequence_md5: string }>`
    select id, sequence_md5 from sequence where sequence_md5 = any(${digests}::char(32)[])`.execute(db);
  return new Map(rows.map((row) => [row.sequence_md5, row.id]));
}

/** Reads the distinct entries of each sequence that has any, in order, of one release or of all. */
export async function entriesOfSequences(
  db: Queryable,
  sequenceIds: readonly number[],
  interproRelease: string | null,
): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ sequence_id: number; entries: string[] }>`
    select sequence_id, array_agg(distinct interpro_accession order by interpro_accession) as entries
    from interpro_annotation
    where sequence_id = any(${sequenceIds}::bigint[]) and interpro_accession is not null
      and (${interproRelease}::text is null or interpro_release = ${interproRelease})
    group by sequence_id`.execute(db);
  return new Map(rows.map((row) => [row.sequence_id, row.entries]));
}

/** Returns true when matches of that release, or of any, are stored. */
export async function hasMatches(db: Queryable, interproRelease: string | null): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from interpro_annotation
      where ${interproRelease}::text is null or interpro_release = ${interproRelease}) as found`.execute(db);
  return rows[0].found;
}
