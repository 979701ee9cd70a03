import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** A server gave these facts about a file that was read whole. */
export interface SourceFile {
  etag: string | null;
  lastModified: string | null;
  contentSha256: string;
}

export async function findSourceFile(db: Queryable, url: string): Promise<SourceFile | undefined> {
  const row = await db.selectFrom('source_file').selectAll().where('url', '=', url).executeTakeFirst();
  return row && { etag: row.etag, lastModified: row.last_modified, contentSha256: row.content_sha256 };
}

export async function saveSourceFile(db: Queryable, url: string, file: SourceFile): Promise<void> {
  const { etag, lastModified, contentSha256 } = file;
  await sql`
    insert into source_file (url, etag, last_modified, content_sha256) values (${url}, ${etag}, ${lastModified}, ${contentSha256})
    on conflict (url) do update set etag = excluded.etag, last_modified = excluded.last_modified,
      content_sha256 = excluded.content_sha256, read_at = clock_timestamp()`.execute(db);
}
