import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../store/postgres/connection.js';
import { migrate } from '../../store/migrations/migrate.js';

const migrations = fileURLToPath(new URL('../../store/migrations', import.meta.url));

/** Empties the database of a test and brings it to the version before migration `first`, such as '000020'. */
export async function migrateUntil(db: Database, first: string): Promise<void> {
  await db.pool.query(
    'drop schema public cascade; drop schema broker cascade; drop schema audit cascade; create schema public',
  );
  const folder = await mkdtemp(join(tmpdir(), 'kindred-migrations-'));
  try {
    for (const name of await readdir(migrations))
      if (name.endsWith('.sql') && name < first) await copyFile(join(migrations, name), join(folder, name));
    await migrate(db, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
