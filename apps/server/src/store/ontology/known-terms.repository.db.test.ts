import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { fillCatalogue } from '../../testing/tiny-catalogue.js';
import { closeDatabase, type Database, openDatabase } from '../postgres/connection.js';
import { termsByRow } from './known-terms.repository.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

it('reads a term once for a snapshot as it is, and again when its edges have changed', async () => {
  const { snapshotId: id } = await fillCatalogue(db);
  const stored = await db.selectFrom('go_term').select(['id', 'go_id']).orderBy('go_id').execute();
  const [root, child] = stored;
  const named = async (relationship_count: number, ids: number[]) => {
    const terms = await termsByRow(db, { id, relationship_count }, ids);
    return ids.map((row) => terms.get(row)?.name);
  };
  expect((await termsByRow(db, { id, relationship_count: 1 }, [child.id])).get(child.id)).toMatchObject({
    go_id: child.go_id,
    parents: [root.id],
  });
  const [name] = await named(1, [child.id]);
  await db.updateTable('go_term').set({ name: 'another' }).execute();
  expect(await named(1, [child.id, root.id])).toEqual([name, 'another']);
  expect(await named(2, [child.id, 0])).toEqual(['another', undefined]);
});
