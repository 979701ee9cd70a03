import type { OperationName } from '@kindred/contracts';
import { type RawBuilder, sql } from 'kysely';
import { type Database, inTransaction, type Queryable, type Transaction } from '../postgres/connection.js';
import { searchWords } from './search-words.js';

const batch = 10_000;
const lockName = 'protein search';
/** These operations write many proteins, or compete for the machine right after they did. */
const loads = [
  'insert_proteins',
  'fetch_uniprot_metadata',
  'load_reference_proteins',
  'load_reference_annotations',
  'build_reference',
  'install_reference',
] as const satisfies readonly OperationName[];
/** The words of these columns of protein are searched. */
const searched = ['accession', 'entry_name', 'gene_name', 'protein_name', 'organism'] as const;
type Searched = { id: number } & { [Column in (typeof searched)[number]]: string | null };

const wordsOf = (row: Searched) =>
  searchWords(searched.map((column) => row[column] ?? '').join(' ')).join(' ');

/**
 * Code that writes names of proteins calls this first in its transaction, so that the index waits for the
 * commit.
 */
export async function announceNames(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${lockName}, 0))`.execute(trx);
}

/**
 * Renews the words of proteins whose names changed. Proteins that are not indexed yet get their current names
 * when they are indexed.
 */
export async function refreshSearch(trx: Transaction, accessions: readonly string[]): Promise<void> {
  if (accessions.length === 0) return;
  const rows = await trx
    .selectFrom('protein')
    .select(['id', ...searched])
    .where('accession', '=', sql<string>`any(${accessions}::text[])`)
    .execute();
  await sql`
    update protein_search s set words = n.words
    from (${incoming(rows)}) n where s.accession = n.accession and s.words <> n.words`.execute(trx);
}

/**
 * Puts the next proteins into the index, at most 10,000, and returns how many; 0 means that none is left, or
 * that a load is running. Indexing begins only while no load runs, so loads never wait for it. The largest id
 * is read last: while a load runs, it is behind all of the rows that are not committed yet.
 */
export async function indexSearch(db: Database): Promise<number> {
  const { rows: open } = await sql<{ more: boolean }>`
    select case when exists (select from job where status = 'RUNNING' and operation = any(${loads}::text[])) then false
      else (select max(id) from protein) > indexed_to end as more
    from protein_search_state`.execute(db);
  if (open[0]?.more !== true) return 0;
  return inTransaction(db, async (trx) => {
    const { rows: lock } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${lockName}, 0)) as taken`.execute(trx);
    if (!lock[0].taken) return 0;
    const rows = await trx
      .selectFrom('protein')
      .select(['id', ...searched])
      .where('id', '>', sql<number>`(select indexed_to from protein_search_state)`)
      .orderBy('id')
      .limit(batch)
      .execute();
    if (rows.length === 0) return 0;
    await sql`
      insert into protein_search (accession, words) ${incoming(rows)}
      on conflict (accession) do update set words = excluded.words`.execute(trx);
    await sql`update protein_search_state set indexed_to = ${rows[rows.length - 1].id}`.execute(trx);
    return rows.length;
  });
}

function incoming(rows: readonly Searched[]): RawBuilder<unknown> {
  const accessions = rows.map((row) => row.accession);
  return sql`
    select accession, array_to_tsvector(string_to_array(words, ' ')) as words
    from unnest(${accessions}::text[], ${rows.map(wordsOf)}::text[]) as i (accession, words)`;
}

/** Gives the id that the index has reached, while proteins above it exist. */
export async function unindexedAbove(db: Queryable): Promise<number | null> {
  const { rows } = await sql<{ indexed_to: number; more: boolean | null }>`
    select indexed_to, (select max(id) from protein) > indexed_to as more from protein_search_state`.execute(
    db,
  );
  return rows[0]?.more === true ? rows[0].indexed_to : null;
}

/** Too many words begin with one or two characters, so such a text must be a whole word. */
const isWhole = (word: string) => [...word].length < 3;

/**
 * Makes the condition for proteins that have a word beginning with each of the words of `text`, or that have
 * `text` as a secondary accession. `unindexed` comes from `unindexedAbove`: proteins above that id are read
 * one by one.
 */
export function foundBy(text: string, unindexed: number | null): RawBuilder<boolean> {
  const words = searchWords(text);
  if (words.length === 0) return sql<boolean>`false`;
  const query = words.map((word) => (isWhole(word) ? `'${word}'` : `'${word}':*`)).join(' & ');
  const names = sql.raw(searched.map((column) => `coalesce(${column}, '')`).join(` || ' ' || `));
  // Words are letters and digits, so a pattern needs no escapes.
  const begins = words.map(
    (word) => sql`${names} ~* ${`(^|[^[:alnum:]])${word}${isWhole(word) ? '($|[^[:alnum:]])' : ''}`}`,
  );
  const tail =
    unindexed === null
      ? sql``
      : sql`union all select accession from protein where id > ${unindexed} and ${sql.join(begins, sql` and `)}`;
  return sql<boolean>`accession in (
    select accession from protein_search where words @@ ${query}::tsquery
    union all select accession from secondary_accession where secondary = ${text.toUpperCase()}
    ${tail})`;
}
