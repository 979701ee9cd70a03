import type { PoolClient } from 'pg';
import type { Database } from '../postgres/connection.js';

/**
 * Lends a connection whose commits don't wait for the disk, for many commits that only count together. A
 * later commit that does wait covers all earlier ones, because the log is written in order. So the final
 * commit, which makes the others count, must not use this connection.
 */
export async function withRelaxedCommits<T>(
  db: Database,
  work: (connection: { client: PoolClient }) => Promise<T>,
): Promise<T> {
  const client = await db.pool.connect();
  // A lost server fails the running statement; its extra error event must not end the process.
  const ignoreLoss = () => {};
  client.on('error', ignoreLoss);
  let lost: Error | undefined;
  try {
    await client.query('set synchronous_commit = off');
    const result = await work({ client });
    await client.query('reset synchronous_commit');
    return result;
  } catch (error) {
    // The connection may be in the middle of a COPY, and must not come back to the pool with this setting.
    lost = error as Error;
    throw error;
  } finally {
    client.off('error', ignoreLoss);
    client.release(lost);
  }
}
