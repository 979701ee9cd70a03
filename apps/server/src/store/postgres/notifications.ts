import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from './connection.js';

export interface Subscription {
  /** Resolves with the first connection; later losses are repaired in the background. */
  ready: Promise<void>;
  close(): Promise<void>;
}

export interface SubscriptionOptions {
  channel: string;
  /** Session lock (two integers) held as long as this process lives and is connected: others see in pg_locks whether it does. */
  lock?: [number, number];
  onNotification: (payload: string) => void;
  /** After each (re)connection: notifications may have been missed before it. */
  onConnect: () => void;
  /** The connection broke: notifications are missed until the next onConnect. */
  onLost?: () => void;
}

const firstPauseMs = 100;
const longestPauseMs = 2000;

/** Listens on a connection of its own, outside the pool, and reconnects with back-off for as long as it is open. */
export function subscribe(db: Database, options: SubscriptionOptions): Subscription {
  const closing = new AbortController();
  let client: pg.Client | undefined;
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const loop = (async () => {
    let pauseMs = firstPauseMs;
    while (!closing.signal.aborted) {
      try {
        client = await connect(db, options);
        const lost = new Promise<void>((resolve) => client?.once('end', resolve));
        pauseMs = firstPauseMs;
        isReady();
        options.onConnect();
        if (closing.signal.aborted) await client.end();
        await lost;
        options.onLost?.();
      } catch {
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  })();
  return {
    ready,
    close: async () => {
      closing.abort();
      await client?.end().catch(() => {});
      await loop;
    },
  };
}

async function connect(db: Database, options: SubscriptionOptions): Promise<pg.Client> {
  const client = new pg.Client({ ...db.pool.options, keepAlive: true, application_name: 'kindred-listen' });
  // A lost connection shows as `end` too.
  client.on('error', () => {});
  client.on('notification', (message) => options.onNotification(message.payload ?? ''));
  try {
    await client.connect();
    if (options.lock) await client.query('select pg_advisory_lock($1, $2)', options.lock);
    await client.query(`listen ${pg.escapeIdentifier(options.channel)}`);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
