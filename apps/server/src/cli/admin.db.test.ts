import { afterAll, beforeAll, expect, it } from 'vitest';
import { addUser, findAccount } from '../accounts/admin.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { Command } from '../testing/supervise/command.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterAll(async () => {
  await closeDatabase(db);
  await database?.close();
});

it('kindred admin add-user changes nothing for an e-mail that has an account, and succeeds', async () => {
  await addUser(db, { email: 'ada@example.org', role: 'researcher', password: 'correct horse battery' });
  const before = await findAccount(db, 'ada@example.org');
  const command = Command.run(['admin', 'add-user', '--email', 'Ada@Example.org', '--role', 'admin'], {
    SVC_DB_URL: database.url,
  });
  expect([await command.ended, command.stderr]).toEqual([0, '']);
  expect(await findAccount(db, 'ada@example.org')).toEqual(before);
  const accounts = await db.selectFrom('user_account').select('id').execute();
  expect(accounts).toHaveLength(1);
});
