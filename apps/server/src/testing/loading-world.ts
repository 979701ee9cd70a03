import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { type BenchOptions, type LoadingBench, loadingBench } from './loading-context.js';
import { testDatabase } from './test-database.js';

/** The tests of loads have an empty database, a folder that loads may read, and a bench that runs them. */
export interface LoadingWorld {
  db: Database;
  bench: LoadingBench;
  folder: string;
  /** Writes a file into the folder, under a new name unless one is given, and returns its address. */
  write(content: string | Uint8Array, name?: string): Promise<string>;
  close(): Promise<void>;
}

export async function startLoadingWorld(
  options: Omit<BenchOptions, 'importDirs'> = {},
): Promise<LoadingWorld> {
  const database = await testDatabase();
  const db = openDatabase(database.url, 6);
  const folder = await mkdtemp(join(tmpdir(), 'kindred-loading-'));
  return {
    db,
    bench: loadingBench(db, { importDirs: [folder], ...options }),
    folder,
    async write(content, name = randomUUID()) {
      const path = join(folder, name);
      await writeFile(path, content);
      return pathToFileURL(path).href;
    },
    async close() {
      await rm(folder, { recursive: true });
      await closeDatabase(db);
      await database.close();
    },
  };
}
