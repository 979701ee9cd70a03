import type { PoolClient } from 'pg';
import type { Database } from './connection.js';

/**
 * Runs `work` while this session holds the lock of that name; others wait. The lock ends with the connection,
 * so a process that dies releases it.
 */
export async function withAdvisoryLock<T>(db: Database, name: string, work: () => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  client.on('error', ignoreLoss);
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    await unlock(client, name);
  }
}

/** Works like `withAdvisoryLock`, but returns null at once if another session holds the lock. */
export async function tryAdvisoryLock<T>(
  db: Database,
  name: string,
  work: () => Promise<T>,
): Promise<{ value: T } | null> {
  const client = await db.pool.connect();
  client.on('error', ignoreLoss);
  const { rows } = await client
    .query<{ locked: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [name])
    .catch((error: Error) => {
      client.release(error);
      throw error;
    });
  if (!rows[0].locked) {
    client.off('error', ignoreLoss);
    client.release();
    return null;
  }
  try {
    return { value: await work() };
  } finally {
    await unlock(client, name);
  }
}

/**
 * A lost server ends the lock. The work notices at its next statement, and the process must not exit because
 * of it.
 */
function ignoreLoss(): void {}

/** Releases the lock, so that the next caller gets it at once. If that fails, the connection is closed. */
async function unlock(client: PoolClient, name: string): Promise<void> {
  let lost: Error | undefined;
  await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch((error: Error) => {
    lost = error;
  });
  client.off('error', ignoreLoss);
  client.release(lost);
}
