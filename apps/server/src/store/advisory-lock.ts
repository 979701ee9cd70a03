import type { PoolClient } from 'pg';
import type { Database } from './db.js';

/**
 * Runs `work` while this session holds the lock of that name; others wait. The lock goes with the connection, so a process that dies lets go of it.
 */
export async function withAdvisoryLock<T>(db: Database, name: string, work: () => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  client.on('error', ignoreLoss);
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const result = await work();
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    letGo(client);
    return result;
  } catch (error) {
    letGo(client, error as Error);
    throw error;
  }
}

/** As above, but gives null at once where another session holds the lock. */
export async function tryAdvisoryLock<T>(
  db: Database,
  name: string,
  work: () => Promise<T>,
): Promise<{ value: T } | null> {
  const client = await db.pool.connect();
  client.on('error', ignoreLoss);
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      [name],
    );
    if (!rows[0].locked) {
      letGo(client);
      return null;
    }
    const value = await work();
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    letGo(client);
    return { value };
  } catch (error) {
    letGo(client, error as Error);
    throw error;
  }
}

/** A server that goes away ends the lock; the work notices at its next statement, and the process must not end for it. */
function ignoreLoss(): void {}

function letGo(client: PoolClient, error?: Error): void {
  client.off('error', ignoreLoss);
  client.release(error);
}
