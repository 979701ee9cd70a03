import type { Visibility } from '@kindred/contracts';
import { type Selectable, sql } from 'kysely';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { type Reader, visibleTo } from '../postgres/fragments/visibility.js';
import { storeSequences } from './sequences.repository.js';
import type { Tables } from '../postgres/tables.generated.js';

export type QuerySetRow = Selectable<Tables['query_set']>;

export interface NewQuerySet {
  name: string;
  description: string | null;
  owner_user_id: string | null;
  /** If false, the set is in no list, but reachable by its id until it expires. */
  listed: boolean;
  visibility: Visibility;
  /** The set expires after so many hours; null means never. */
  ttlHours: number | null;
}
/** An entry is one FASTA record; `header` is the line after `>`, byte for byte. */
export interface NewQueryEntry {
  header: string;
  accession: string;
  taxonId: number | null;
  sequence: string;
}
export interface QueryEntryRow {
  position: number;
  accession: string;
  header: string;
  taxonomy_id: number | null;
  sequence_id: number;
  length: number;
}

export interface QuerySequenceRow {
  position: number;
  header: string;
  sequence: string;
}

const entryColumns = ['query_set_id', 'position', 'header', 'accession', 'taxonomy_id', 'sequence_id'];

/**
 * Stores the set, one sequence per distinct amino-acid string, and one entry per record in the order of the
 * file.
 */
export async function insertQuerySet(
  trx: Transaction,
  set: NewQuerySet,
  entries: readonly NewQueryEntry[],
): Promise<QuerySetRow> {
  const { ids } = await storeSequences(
    trx,
    entries.map((entry) => entry.sequence),
  );
  const row = await trx
    .insertInto('query_set')
    .values({
      name: set.name,
      description: set.description,
      entry_count: entries.length,
      owner_user_id: set.owner_user_id,
      listed: set.listed,
      visibility: set.visibility,
      expires_at:
        set.ttlHours === null ? null : sql`clock_timestamp() + make_interval(hours => ${set.ttlHours})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const setId = Buffer.from(row.id.replaceAll('-', ''), 'hex');
  await copyRowsWhileWriting(
    trx,
    { table: 'query_set_entry', columns: entryColumns },
    entries.length,
    (rows, i) => {
      const { header, accession, taxonId } = entries[i];
      rows.row();
      rows.bytea(setId);
      rows.int4(i);
      rows.text(header);
      rows.text(accession);
      if (taxonId === null) rows.null();
      else rows.int4(taxonId);
      rows.int8(ids[i]);
    },
  );
  return row;
}

/** Lists the query sets that the reader may find, newest first; unsaved ones are never listed. */
export async function listQuerySets(
  db: Queryable,
  reader: Reader,
  limit: number,
  after?: Cursor,
): Promise<Page<QuerySetRow>> {
  const chosen = db
    .selectFrom('query_set')
    .selectAll()
    .where('listed', '=', true)
    .where(visibleTo('query_set', reader));
  return pageOf(db, chosen, { table: 'query_set' }, { limit, after });
}

export async function findQuerySet(db: Queryable, id: string): Promise<QuerySetRow | undefined> {
  return db.selectFrom('query_set').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads all entries in the order of the file, in pages. */
export function queryEntryPages(db: Queryable, id: string, pageSize = 2000): AsyncGenerator<QueryEntryRow[]> {
  return pagesByPosition(pageSize, (after) =>
    entriesAfter(db, id, after)
      .select(['position', 'accession', 'header', 'taxonomy_id', 'sequence_id', 'sequence.length'])
      .limit(pageSize)
      .execute(),
  );
}

/** Reads the accessions of all entries, in the order of the file. */
export async function accessionsOfQuerySet(db: Queryable, id: string): Promise<string[]> {
  const accessions: string[] = [];
  for await (const page of queryEntryPages(db, id))
    for (const { accession } of page) accessions.push(accession);
  return accessions;
}

/** Reads all sequences in the order of the file. A page has few, because a sequence may be long. */
export function querySequencePages(
  db: Queryable,
  id: string,
  pageSize = 200,
): AsyncGenerator<QuerySequenceRow[]> {
  return pagesByPosition(pageSize, (after) =>
    entriesAfter(db, id, after).select(['position', 'header', 'sequence']).limit(pageSize).execute(),
  );
}

function entriesAfter(db: Queryable, querySetId: string, after: number) {
  return db
    .selectFrom('query_set_entry')
    .innerJoin('sequence', 'sequence.id', 'query_set_entry.sequence_id')
    .where('query_set_id', '=', querySetId)
    .where('position', '>', after)
    .orderBy('position');
}

async function* pagesByPosition<Row extends { position: number }>(
  pageSize: number,
  read: (after: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after = -1; ; ) {
    const page = await read(after);
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page[page.length - 1].position;
  }
}

export async function renameQuerySet(trx: Transaction, id: string, name: string): Promise<QuerySetRow> {
  return trx
    .updateTable('query_set')
    .set({ name })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Sets who finds the set, every job on it or on its predictions, and those predictions. */
export async function changeVisibility(
  trx: Transaction,
  id: string,
  visibility: Visibility,
): Promise<QuerySetRow> {
  const row = await trx
    .updateTable('query_set')
    .set({ visibility })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const sets = await trx
    .updateTable('prediction_set')
    .set({ visibility })
    .where('query_set_id', '=', id)
    .returning('id')
    .execute();
  const setIds = sets.map((set) => set.id);
  await sql`
    update job set visibility = ${visibility}
    where payload ->> 'query_set_id' = ${id} or payload ->> 'prediction_set_id' = any(${setIds}::text[])`.execute(
    trx,
  );
  return row;
}

/** Deletes the set with its entries; sequences stay, because other rows may share them. */
export async function deleteQuerySet(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('query_set').where('id', '=', id).execute();
}
