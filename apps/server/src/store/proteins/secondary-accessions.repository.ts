import { sql } from 'kysely';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import type { Queryable, Transaction } from '../postgres/connection.js';

export interface SecondaryAccession {
  secondary: string;
  /** The entry with this accession has the secondary accession now. */
  accession: string;
}
export interface SecondaryAccessionSource {
  source_url: string;
  content_sha256: string;
  pair_count: number;
}

export async function secondaryAccessionSource(db: Queryable): Promise<SecondaryAccessionSource | undefined> {
  return db
    .selectFrom('secondary_accession_source')
    .select(['source_url', 'content_sha256', 'pair_count'])
    .executeTakeFirst();
}

/** Readers see the old list or the new one. Pairs must be distinct. */
export async function replaceSecondaryAccessions(
  trx: Transaction,
  pairs: readonly SecondaryAccession[],
  source: SecondaryAccessionSource,
  jobId: string,
): Promise<void> {
  await sql`delete from secondary_accession`.execute(trx);
  const into = { table: 'secondary_accession', columns: ['secondary', 'accession'] };
  await copyRowsWhileWriting(trx, into, pairs.length, (rows, i) => {
    rows.row();
    rows.text(pairs[i].secondary);
    rows.text(pairs[i].accession);
  });
  const values = { ...source, job_id: jobId };
  await trx
    .insertInto('secondary_accession_source')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('only_row').doUpdateSet({ ...values, loaded_at: sql`clock_timestamp()` }),
    )
    .execute();
}
