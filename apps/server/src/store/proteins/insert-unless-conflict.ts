import type { Transaction } from '../postgres/connection.js';

const uniqueViolation = '23505';

/**
 * Runs `work` in a savepoint. If a unique key conflicts with a row of another transaction, all of it is
 * rolled back and the result is false; without the savepoint, that error would end the whole transaction.
 */
export async function insertUnlessConflict(trx: Transaction, work: () => Promise<void>): Promise<boolean> {
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
