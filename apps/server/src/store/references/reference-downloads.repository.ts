import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** A published file that was downloaded has its state and its content. */
export interface ReferenceDownload {
  source: string;
  state: string;
  sha256: string;
  size_bytes: number;
}

/** Gives the SHA-256 of a file that was downloaded in this state; undefined if it never was. */
export async function downloadedSha256(
  db: Queryable,
  { source, state }: Pick<ReferenceDownload, 'source' | 'state'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('reference_download')
    .select('sha256')
    .where('source', '=', source)
    .where('state', '=', state)
    .executeTakeFirst();
  return row?.sha256;
}

export async function recordDownload(db: Queryable, download: ReferenceDownload): Promise<void> {
  await db
    .insertInto('reference_download')
    .values(download)
    .onConflict((conflict) =>
      conflict.column('source').doUpdateSet({
        state: download.state,
        sha256: download.sha256,
        size_bytes: download.size_bytes,
        downloaded_at: sql`clock_timestamp()`,
      }),
    )
    .execute();
}
