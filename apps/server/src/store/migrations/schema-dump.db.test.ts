import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testDatabase } from '../../testing/test-database.js';
import { closeDatabase, openDatabase } from '../postgres/connection.js';
import { dumpSchema } from './schema-dump.js';

it('schema.sql is what the migrations make (npm run gen writes it)', async () => {
  const database = await testDatabase();
  const db = openDatabase(database.url, 1);
  try {
    expect(await dumpSchema(db)).toBe(await readFile(join(import.meta.dirname, '../schema.sql'), 'utf8'));
  } finally {
    await closeDatabase(db);
    await database.close();
  }
});
