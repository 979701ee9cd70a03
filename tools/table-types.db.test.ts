import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { closeDatabase, openDatabase } from '../apps/server/src/store/postgres/connection.js';
import { testDatabase } from '../apps/server/src/testing/test-database.js';
import { tableTypes } from './generate/table-types.mjs';

it('tables.generated.ts is what the migrations make (npm run gen writes it)', async () => {
  const database = await testDatabase();
  const db = openDatabase(database.url, 1);
  const committed = new URL('../apps/server/src/store/postgres/tables.generated.ts', import.meta.url);
  try {
    expect(await tableTypes(db)).toBe(await readFile(committed, 'utf8'));
  } finally {
    await closeDatabase(db);
    await database.close();
  }
});
