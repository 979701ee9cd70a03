import { type StatedTermsFile, statedTermsFile } from '@kindred/contracts/resources/stated-terms';
import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';

/** A term that another program states of a protein, with its score and the ground that the program names. */
export type StoredStatedTerm = [goId: string, score: number | null, basis: string | null];

/** A comparison shows a column for each program, so a query set has few of them. */
export const mostPrograms = 20;

export interface StatedTerms {
  about: StatedTermsFile;
  /** The terms by accession, each once. */
  ofProtein: ReadonlyMap<string, readonly StoredStatedTerm[]>;
}

/** A statement stores the terms of this many proteins: some megabytes. */
const proteinsAtOnce = 200;

/** Stores the terms of a program instead of those that it had. */
export async function putStatedTerms(
  trx: Transaction,
  querySetId: string,
  { about, ofProtein }: StatedTerms,
): Promise<void> {
  const { program } = about;
  const of = { query_set_id: querySetId, program };
  // The file goes first: a second upload waits for it, and then deletes what the first one stored.
  await trx
    .insertInto('stated_term_file')
    .values({ ...of, about: JSON.stringify(about) })
    .onConflict((conflict) =>
      conflict.columns(['query_set_id', 'program']).doUpdateSet({ about: JSON.stringify(about) }),
    )
    .execute();
  await trx
    .deleteFrom('stated_terms')
    .where('query_set_id', '=', querySetId)
    .where('program', '=', program)
    .execute();
  const entries = [...ofProtein];
  for (let from = 0; from < entries.length; from += proteinsAtOnce) {
    const part = JSON.stringify(Object.fromEntries(entries.slice(from, from + proteinsAtOnce)));
    await sql`insert into stated_terms (query_set_id, program, accession, terms)
      select ${querySetId}::uuid, ${program}, key, value from jsonb_each(${part}::jsonb)`.execute(trx);
  }
}

/** Deletes the terms of a program; false if it has none. */
export async function deleteStatedTerms(
  db: Queryable,
  querySetId: string,
  program: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('stated_term_file')
    .where('query_set_id', '=', querySetId)
    .where('program', '=', program)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Lists the files of a query set by program. */
export async function statedTermFiles(db: Queryable, querySetId: string): Promise<StatedTermsFile[]> {
  const rows = await db
    .selectFrom('stated_term_file')
    .select('about')
    .where('query_set_id', '=', querySetId)
    .orderBy('program')
    .limit(mostPrograms)
    .execute();
  return rows.map(({ about }) => statedTermsFile.parse(about));
}

export interface StatedTermsRow {
  program: string;
  accession: string;
  terms: StoredStatedTerm[];
}

/** Reads the terms of proteins by these programs; those without a term are missing. */
export async function statedTermsOf(
  db: Queryable,
  querySetId: string,
  programs: readonly string[],
  accessions: readonly string[],
): Promise<StatedTermsRow[]> {
  const rows = await db
    .selectFrom('stated_terms')
    .select(['program', 'accession', 'terms'])
    .where('query_set_id', '=', querySetId)
    .where('program', '=', sql<string>`any(${[...programs]}::text[])`)
    .where('accession', '=', sql<string>`any(${[...accessions]}::text[])`)
    .execute();
  return rows as unknown as StatedTermsRow[];
}
