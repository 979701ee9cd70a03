import type { Database } from './db.js';

/**
 * Runs `work` while this session holds the lock of that name; others wait. The lock goes with the connection, so a process that dies lets go of it.
 */
export async function withAdvisoryLock<T>(db: Database, name: string, work: () => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const result = await work();
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    client.release();
    return result;
  } catch (error) {
    client.release(error as Error);
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
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      [name],
    );
    if (!rows[0].locked) {
      client.release();
      return null;
    }
    const value = await work();
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    client.release();
    return { value };
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}
