import type { Transaction } from './db.js';

const uniqueViolation = '23505';

/**
 * Does `work` so that another transaction's row may stop it: false, and all of it undone, where a unique key is taken. A statement that
 * fails ends a transaction otherwise.
 */
export async function unlessTaken(trx: Transaction, work: () => Promise<void>): Promise<boolean> {
  await trx.client.query('savepoint attempt');
  try {
    await work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== uniqueViolation) throw error;
    await trx.client.query('rollback to savepoint attempt');
    return false;
  }
  await trx.client.query('release savepoint attempt');
  return true;
}
