import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

export interface BackupNote {
  /** The backup states that it was made at this time. */
  madeAt: string;
  /** The backup was made by this version of the service. */
  version: string;
  sizeBytes: number;
}

export interface ListedBackup {
  made_at: string;
  version: string;
  size_bytes: number;
  verified_at: string | null;
}

/** Returns false on a database that this version's migrations have not reached yet. */
async function canNote(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{
    can: boolean;
  }>`select to_regclass('public.backup') is not null as can`.execute(db);
  return rows[0].can;
}

/** Returns true if the database could take the note. */
export async function noteBackup(
  db: Queryable,
  { madeAt, version, sizeBytes }: BackupNote,
): Promise<boolean> {
  if (!(await canNote(db))) return false;
  await db.insertInto('backup').values({ made_at: madeAt, version, size_bytes: sizeBytes }).execute();
  return true;
}

/**
 * Notes a verified backup, even if it was made before backups were noted. False means that the database could
 * not take the note.
 */
export async function noteVerifiedBackup(
  db: Queryable,
  { madeAt, version, sizeBytes }: BackupNote,
): Promise<boolean> {
  if (!(await canNote(db))) return false;
  const verified_at = sql<string>`clock_timestamp()`;
  await db
    .insertInto('backup')
    .values({ made_at: madeAt, version, size_bytes: sizeBytes, verified_at })
    .onConflict((conflict) => conflict.column('made_at').doUpdateSet({ verified_at }))
    .execute();
  return true;
}

export async function listBackups(db: Queryable, limit: number): Promise<ListedBackup[]> {
  return db.selectFrom('backup').selectAll().orderBy('made_at', 'desc').limit(limit).execute();
}
